package webpage

import (
	"math/rand/v2"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/mcp-docs-server/mcp-docs-server/internal/dev/must"
)

// TestMeaning checks that the meaning of elements is kept in Markdown.
func TestMeaning(t *testing.T) {
	for body, want := range map[string]string{
		// Exponents, indexes, terms, tasks, deletions.
		"<p>close to 2<sup>32</sup> pages, x<sup>n+1</sup>, a<sub>i</sub>, H<sub>2</sub>O": "close to 2^32 pages, x^(n+1), a_i, H_2O\n",
		"<p>10<sup>-3</sup> <code>2</code><sup>8</sup> the 5<sup>th</sup>":                 "10^-3 `2`^8 the 5th\n",
		"<p>Word<sup><a href=#fn1>1</a></sup>":                                             "Word[1](https://docs.example.com/guide/page?x=1#fn1)\n",
		// Footnotes: a link and an element that link to each other.
		`<p>Early<sup id=r1><a href="#f1">1</a></sup>, late<a id=r2 href="#f2">[2]</a><ol><li id=f1><p>One. <a href="#r1">↩</a><li id=f2><a href="#r2">2</a>. Two.</ol>`: "Early[^1], late[^2]\n\n[^1]: One.\n\n[^2]: Two.\n",
		`<p>Early<a id=r href="#f">*</a><h5><a id=f href="#r">(*)</a></h5><p>Note.</p><table id=g><tr><td><a href="#q">[1]</a><td>T.</table><a href="#g" id=q>1</a>`:     "Early[^\\*]\n\n[^\\*]: Note.\n\n[^1]: T.\n\n[^1]\n",
		`<p>By<sup><a id=r href="#f">[Doe_61]</a></sup> and <a id=q href="#g">Term</a><p id=f><a href="#r">^</a> Doe.<p id=g><a href="#q">^</a> A.`:                      "By[^Doe_61] and [Term](https://docs.example.com/guide/page?x=1#g)\n\n[^Doe_61]: Doe.\n\n[^](https://docs.example.com/guide/page?x=1#q) A.\n",
		"<pre>2<sup>32</sup></pre>":                                                                              "```\n2^32\n```\n",
		"<dl><dt>Term<dd>What it is.<dt><code>-x</code><dd>An option.</dl>":                                      "**Term**\n\nWhat it is.\n\n**`-x`**\n\nAn option.\n",
		"<dl><dt>a<dt>b<dd>Both.<dt>c, <a href=d>C</a></dl>":                                                     "**a**\n\n**b**\n\nBoth.\n\nc, [C](https://docs.example.com/guide/d)\n",
		"<ul><li><input type=checkbox checked disabled> done<li><label><input type=checkbox> to do</label></ul>": "- [x] done\n- [ ] to do\n",
		"<p><input type=checkbox> no item</p>":                                                                   "no item\n",
		"<p>It is <del>bad</del> <s>old</s> good, a~~b":                                                          "It is ~~bad~~ ~~old~~ good, a\\~\\~b\n",
		"<p>see <b>x</b>\n# y <b>a</b> = b, <code>maxsize</code>=0, <i>a</i>- b":                                 "see **x** # y **a** = b, `maxsize`=0, *a*- b\n",
		"<p>x<br># y<div>= z</div>- a":                                                                           "x  \n\\# y\n\n\\= z\n\n\\- a\n",
		// Formulas.
		`<p>So <span class="katex"><span class="katex-mathml"><math><semantics><mi>a</mi><annotation encoding="application/x-tex">a_1*b*</annotation></semantics></math></span><span class="katex-html" aria-hidden="true">a1b</span></span> is.`: "So $`a_1*b*`$ is.\n",
		`<p>So <span class="math notranslate nohighlight">\(a^2\)</span> is.<div class="math notranslate nohighlight">\[x_1 = [y]\]</div>`:                                                                                                        "So $`a^2`$ is.\n\n```math\nx_1 = [y]\n```\n",
		`<p>So <img class="formulaInl" alt="$ a_1 $" src="f.png"> is <math display="block" alttext="b"><mi>b</mi></math>.`:                                                                                                                        "So $`a_1`$ is\n\n```math\nb\n```\n\n.\n",
		`<p>A <math><mfrac><mn>1</mn><mn>3</mn></mfrac><msup><mn>10</mn><mn>23</mn></msup><msqrt><mn>2</mn></msqrt></math> b`:                                                                                                                     "A $`\\frac{1}{3}{10}^{23}\\sqrt{2}`$ b\n",
		`<math display=block><munderover><mo>∑</mo><mi>i</mi><mi>n</mi></munderover><mover><mi>x</mi><mo>¯</mo></mover><mo>=</mo><mi>sin</mi><mi>a</mi></math>`:                                                                                   "```math\n\\sum_{i}^{n}\\overline{x} = \\sin a\n```\n",
		`<math><mo>(</mo><mtable><mtr><mtd><mi>a</mi></mtd><mtd><mn>1</mn></mtd></mtr><mtr><mtd><mi>b</mi></mtd><mtd><mn>2</mn></mtd></mtr></mtable><mo>)</mo></math>`:                                                                            "$`\\begin{pmatrix}a & 1 \\\\ b & 2\\end{pmatrix}`$\n",
		`<div class="math notranslate"><span class="eqno">(1)<a class="headerlink" href="#e">¶</a></span>\[x^2\]</div><p>So \( a_1 \).<script src=katex.js></script>`:                                                                             "```math\nx^2\\tag{1}\n```\n\nSo $`a_1`$.\n",
		`<p>So <span>$a_1$</span>, <span>$5$ or $6$</span>.<p class=m>\[b\]</p>`:                                                                                                                                                                  "So $`a_1`$, $5$ or $6$.\n\n```math\nb\n```\n",
		`<p>So $k <= n$ and <code>$x$</code> at 5 $ or \(b\).<script>MathJax = {tex: {inlineMath: [['$', '$']]}}</script>`:                                                                                                                        "So $`k <= n`$ and `$x$` at 5 $ or $`b`$.\n",
		"<p>So:\n\\begin{align*} a &amp;= b \\\\ c \\end{align*} and \\begin{equation} d \\end{equation}<script src=mathjax.js></script>":                                                                                                         "So:\n\n```math\n\\begin{align*} a &= b \\\\ c \\end{align*}\n```\n\nand\n\n```math\nd\n```\n",
		`<div>\begin{gather} a \end{gather}</div>`: "```math\n\\begin{gather} a \\end{gather}\n```\n",
		// Space at the edges of code.
		"<p>a<tt> b</tt>, <code>c\n</code>d<samp>e</samp>": "a `b`, `c` d`e`\n",
		// What buttons have, badges.
		`<div><button><span>get</span><span>/trams/<wbr>{id}</span></button></div><div><button><strong>404</strong><div><p>No such tram.</p></div></button><button><span>Copy</span><span>Copied</span></button></div>`: "get /trams/{id}\n\n**404**\n\nNo such tram.\n",
		`<p><b>Get</b> <i>/etc/hosts is a file</i></p>`:                                                            "**Get** */etc/hosts is a file*\n",
		`<p><code>id</code><span class="label label-optional">optional</span> W<span class=dropcap>ord</span></p>`: "`id` optional Word\n",
		// Tasks without check boxes.
		`<ul class=task-list><li class=checked>done<li>to do</ul><ul><li><button role=checkbox aria-checked=true></button><div><p>too</p></div></ul><ul><li>☐ open<li>✓ is a sign</ul>`: "- [x] done\n- [ ] to do\n\n- [x] too\n\n- [ ] open\n- ✓ is a sign\n",
		"<main><ul><li><code>[X]</code> done<li><code>[&nbsp;]</code> open<li>\n<span>•</span> <p>wind</ul><p>A.<dfn role=dialog>A term.</dfn></main>":                                  "- [x] done\n- [ ] open\n- wind\n\nA.A term.\n",
		// Tabs that only classes declare.
		`<div><button class="x-tabs__tab">A</button><div>a</div><button class="x-tabs__tab">B</button><div>b</div></div>`:                           "**A**\n\na\n\n**B**\n\nb\n",
		`<ul class="nav nav-tabs"><li><a href="#a">A</a><li><a href="#b">B</a></ul><div class=tab-content><div id=a>a</div><div id=b>b</div></div>`: "**A**\n\na\n\n**B**\n\nb\n",
		// Signatures of terms, headings and tables.
		`<dl><dt><span class=name><a href=u>update</a></span><span class=signature>(<a href=i>int</a> id) → bool</span></dt><dd>Updates.</dl>`: "[`update(int id) → bool`](https://docs.example.com/guide/u)\n\nUpdates.\n",
		`<h3 class=signature>#<strong>run</strong>(*args) ⇒ <tt>void</tt></h3><p>Runs.`:                                                        "### `#run(*args) ⇒ void`\n\nRuns.\n",
		`<table class=Prototype><tr><td><table><tr><td>int drop (<td>int&nbsp;<td>depth<td>)</table></table>`:                                  "```\nint drop (int depth)\n```\n",
		`<h2><span><a href=s>1.2</a></span>Bells</h2><h3><span>A.1</span><span>Ring</span></h3>`:                                               "## [1.2](https://docs.example.com/guide/s) Bells\n\n### A.1 Ring\n",
		// A label in a block of code, footnotes without a link back.
		`<pre><a href=e>Example 1</a><code>ring {` + "\n" + `}</code></pre><pre><a href=i>int</a> <code>ring()</code></pre>`: "[Example 1](https://docs.example.com/guide/e)\n\n```\nring {\n}\n```\n\n```\nint ring()\n```\n",
		`<p>Oil<a href="#n1"> <sup>1</sup></a> it.</p><div id=footnotes><ol><li id=n1>Not now.</ol></div>`:                   "Oil[^1] it.\n\n[^1]: Not now.\n",
		// Lines of code without a block, titles in a block, code after code, diagrams, icons of tabs.
		`<div><code class=high><ul><li>type Tram {</li><li><span>id: <a href=i>ID</a></span></li><li>}</li></ul></code></div>`:                                                                                                     "```\ntype Tram {\nid: ID\n}\n```\n",
		`<div role=tabpanel><code class="shiki"><span class=line>ring</span>` + "\n" + `<span class=line>stop</span></code></div><p>A <code class="shiki"><span class=line>bell</span></code>.`:                                    "```\nring\nstop\n```\n\nA `bell`.\n",
		`<pre><div><div class=bar><div>tram.py</div></div><div><code class=language-py>ring()</code></div></div></pre>`:                                                                                                            "tram.py\n\n```py\nring()\n```\n",
		`<div><code>(ring bell)</code><code>(ring bell times)</code></div><p><code>tram</code><code>.ring</code>`:                                                                                                                  "`(ring bell)`  \n`(ring bell times)`\n\n`tram.ring`\n",
		`<div class=mermaid>graph LR` + "\n" + `  Depot --&gt; Stop</div>`:                                                                                                                                                         "```mermaid\ngraph LR\n  Depot --> Stop\n```\n",
		`<div role=tablist><button role=tab aria-controls=p1><svg><title>Terminal</title></svg>Linux</button><button role=tab aria-controls=p2>Mac</button></div><div role=tabpanel id=p1>a</div><div role=tabpanel id=p2>b</div>`: "**Linux**\n\na\n\n**Mac**\n\nb\n",
		`<div role=tablist><div><button role=tab aria-selected=true>A</button><button role=tab>B</button></div><div role=tabpanel><p>a</div></div>`:                                                                                "**A**\n\na\n",
		`<p>a</p><input type=checkbox id=menu><label for=menu><b>☰</b></label><div>b</div>`:                                                                                                                                        "a\n\nb\n",
		// Cells without letters have the name of their column.
		`<table><tr><th>Stop<th>Since<tr><td><pre>a
b</pre><td>-</table>`: "**Stop**\n\n```\na\nb\n```\n\n**Since**\n\n\\-\n",
		// What a click opens, and tips.
		`<div><div onclick="show(this)"><i class=arrow></i> Why red?</div><div style="display: none">It is <b>seen</b>.</div></div><div popover id=t1>val bell: int</div>`:         "Why red?\n\nIt is **seen**.\n",
		`<div><div role=button aria-expanded=false>When?</div><div hidden><p>At noon.</div><div aria-expanded=false aria-haspopup=menu>More</div><div hidden><p>Print</div></div>`: "When?\n\nAt noon.\n\nMore\n",
		// A character that becomes an entity needs no backslash.
		`<p>&gt; quote</p><table><tr><td>&gt;=<td>b<tr><td>1<td>2</table>`: "&gt; quote\n\n| &gt;= | b |\n|---|---|\n| 1 | 2 |\n",
		// A row for each line of code, and a ranking.
		`<table><tr><td class=blob-num data-line-number=1></td><td class=blob-code>if x:</td></tr><tr><td class=blob-num data-line-number=2></td><td class=blob-code></td></tr><tr><td class=blob-num data-line-number=3></td><td class=blob-code>    go()</td></tr></table>`: "```\nif x:\n\n    go()\n```\n",
		`<table><tr><td>1<td style="white-space: pre">a = 1<tr><td>2<td style="white-space: pre">  b</table><table><tr><td>1<td>Bell<tr><td>2<td><code>ring</code></table>`:                                                                                                   "```\na = 1\n  b\n```\n\n| 1 | Bell |\n|---|---|\n| 2 | `ring` |\n",
		// Lines of code that touch each other.
		`<pre><code><span class=line>a</span><span class=line></span><span class=line>  b</span></code></pre><pre><span style="display: block">a</span><span style="display: block">b</span></pre>`:            "```\na\n\n  b\n```\n\n```\na\nb\n```\n",
		`<pre><code>a</code><code>b</code></pre><pre><code-line>a</code-line><code-line>b</code-line></pre><pre><span data-line>a</span><span data-line>b</span></pre><pre><span>a</span><span>b</span></pre>`: "```\na\nb\n```\n\n```\na\nb\n```\n\n```\na\nb\n```\n\n```\nab\n```\n",
		"<pre><div>a</div><span>b</span> c<div>d</div>\n<div>e</div>f<div>g</div>\n  <i>h</i></pre>":                                                                                                           "```\na\nb c\nd\ne\nf\ng\n  h\n```\n",
		// Lists in cells.
		"<table><tr><th>Stop<th>Trams<tr><td>North<td><ul><li>1<li>2, <b>3</b><ol start=4><li>a<li>b</ol></ul></table>": "| Stop | Trams |\n|---|---|\n| North | • 1 • 2, **3** 4. a 5. b |\n",
		// What a control shows, and what a menu hides.
		`<main><h3><button aria-expanded=false>Why?</button></h3><div aria-hidden=true><p>So.</div><h4>How?</h4><div style="display:none">Thus.</div><dl><dt><button aria-expanded=false>Who?</button><dd style="display: none">We.</dl></main>`: "### Why?\n\nSo.\n\n#### How?\n\nThus.\n\n**Who?**\n\nWe.\n",
		`<main><p>It begins.<div style="display:none"><p>It ends.</div><a href="#">Read more</a><nav><h3>Menu</h3><div hidden>Home</div></nav><div hidden>Never.</div></main>`:                                                                   "It begins.\n\nIt ends.\n\n[Read more](https://docs.example.com/guide/page?x=1)\n",
		// A mark for eyes next to a text for screen readers, icons with a name.
		`<table><tr><th>Oil<th>Icon<th>Bell<tr><td><span aria-hidden=true>✓</span><span class=sr-only>Yes</span><td><i aria-label=Supported></i><td><span class=sr-only>No</span> <svg aria-hidden=true></svg></table>`:             "| Oil | Icon | Bell |\n|---|---|---|\n| Yes | Supported | No |\n",
		`<p>Rating <span aria-hidden=true>★★</span><span class=visually-hidden>4.5</span> of 5, <a href=x>docs<span class=sr-only>(opens in a new tab)</span></a>. Click <button>Save</button> or <i aria-label=Settings></i> now.`: "Rating 4.5 of 5, [docs](https://docs.example.com/guide/x). Click Save or Settings now.\n",
		`<p>The sum is <span class="katex"><span class="katex-mathml">formula</span><span class="katex-html" aria-hidden="true">formula</span></span>, as it was.</p>`:                                                              "The sum is formula, as it was.\n",
		"<h2>Rules<a href=#rules>\uf0c1</a></h2><h2>More<a href=#more>\U000f0337</a></h2>":                                                                                                                                          "## Rules\n\n## More\n",
		// Formulas that scripts show, or of which only what is shown is left.
		`<p>A $$z_{k}$$ b.<script src=/katex/auto-render.js></script>`:                                                                                     "A\n\n```math\nz_{k}\n```\n\nb.\n",
		`<p>A <span class=katex><span class=katex-html aria-hidden=true>a+b</span></span>, <mjx-container data-latex="x^2"><svg></svg></mjx-container> c.`: "A a+b, $`x^2`$ c.\n",
		// Numbers of items, rows to the last one, hyphens inside of words, shadow trees.
		`<ol><li>a<li value=7>g<li>h</ol>`: "1. a\n\n7. g\n8. h\n",
		`<table><tr><th>a<th>b<tr><td rowspan=0>r<td>1<tr><td>2</table><p>Donau&shy;dampf&shy;schiff<div><template shadowrootmode=open><p>Shadow.</template></div>`: "| a | b |\n|---|---|\n| r | 1 |\n|  | 2 |\n\nDonaudampfschiff\n\nShadow.\n",
		// Links of headings to themselves.
		`<h2 id=a><a href="#a"><i class="material-icons">link</i></a> Depots</h2><h3><a href="#b"><i class="material-icons">train</i></a></h3>`: "## Depots\n\n### *train*\n",
		`<h2><a name=c href="#c">Bells</a></h2>`: "## Bells\n",
		// Notices.
		`<div role=note class="border-rose-4 bg-rose-50"><svg></svg><div><p>Live wires.</div></div><aside role=note><p>Trams have right of way.</aside>`:      "> [!CAUTION]\n> Live wires.\n\n> [!NOTE]\n> Trams have right of way.\n",
		`<div class="note danger"><p>Never.</div><emu-note><span class=note>Note</span><div><p>So.</div></emu-note>`:                                          "> [!CAUTION]\n> **Danger**\n>\n> Never.\n\n> [!NOTE]\n> So.\n",
		`<aside class=notice>You must.</aside><aside class=warning>Mind it.</aside><blockquote class=note><p>So.</blockquote><div class=tipbox><p>Wax.</div>`: "> [!NOTE]\n> You must.\n\n> [!WARNING]\n> Mind it.\n\n> [!NOTE]\n> So.\n\n> [!TIP]\n> Wax.\n",
		`<blockquote class=important-title><p>Mine<p>Body.</blockquote><div class=callout data-callout-type=tip><span>Wax.</span></div>`:                      "> [!IMPORTANT]\n> **Mine**\n>\n> Body.\n\n> [!TIP]\n> Wax.\n",
		`<div class="admonition danger"><p class="admonition-title">Data loss</p><p>Bad.<pre>a
b</pre></div>`: "> [!CAUTION]\n> **Data loss**\n>\n> Bad.\n>\n> ```\n> a\n> b\n> ```\n",
		`<aside aria-label=Note class="starlight-aside starlight-aside--note"><p class="starlight-aside__title" aria-hidden=true>Note</p><div>Deep.</div></aside>`:                                      "> [!NOTE]\n> Deep.\n",
		`<blockquote class="book-hint danger"><p>Bad.</blockquote><details class=tip><summary>Soil</summary><p>Moist.</details>`:                                                                        "> [!CAUTION]\n> **Danger**\n>\n> Bad.\n\n> [!TIP]\n> **Soil**\n>\n> Moist.\n",
		`<div class="admonitionblock note"><table><tr><td class=icon><i class=icon-note title=Note></i><td class=content>Deep.</table></div><div class=info>x</div><div class=warning>y</div>`:          "> [!NOTE]\n> Deep.\n\nx\n\n> [!WARNING]\n> y\n",
		`<div class="hx:border hx:border-amber-200 hx:bg-amber-100"><div><svg></svg></div><div>Bad.</div></div><div class="border-red-9 bg-red-5">Not one.</div>`:                                       "> [!WARNING]\n> Bad.\n\nNot one.\n",
		`<div class=x><p><svg></svg>Tip</p><div><p>Moist.</div></div><div class=y><p>Tip</p><p>Not one.</div>`:                                                                                          "> [!TIP]\n> Moist.\n\nTip\n\nNot one.\n",
		`<div class="admonition is-warn"><header class=admonition-header>Beware</header><div><p>Bad.</div></div><div class="callout aside"><b>Why</b><p>So.</div><div class=example><h2>A</h2></div>`:   "> [!WARNING]\n> **Beware**\n>\n> Bad.\n\n**Why**\n\nSo.\n\n## A\n",
		`<blockquote><p><b>Note:</b> Deep.</blockquote><p class=note>High.<blockquote><b>Who</b> said it</blockquote><div class=admonition><p class=t-title>By the way<p>So.</div>`:                     "> [!NOTE]\n> Deep.\n\n> [!NOTE]\n> High.\n\n> **Who** said it\n\n> [!NOTE]\n> **By the way**\n>\n> So.\n",
		`<div class="note note-warning"><p>Bad.</div><div style="--callout-color:var(--color-x-info, var(--muted))"><p>Deep.</div><div class="callout-error"><p class=callout-label>Oh</p><p>No.</div>`: "> [!WARNING]\n> Bad.\n\n> [!NOTE]\n> **Info**\n>\n> Deep.\n\n> [!CAUTION]\n> **Oh**\n>\n> No.\n",
		// Changed lines, and numbers of lines.
		`<pre><code class=language-js><span class=line>a()</span>
<span class="line diff remove">b()</span>
<span class="line diff add">c()</span></code></pre>`: "```diff\n a()\n-b()\n+c()\n```\n",
		"<pre>a // [!code --]\nb # [!code ++]</pre><pre><del>-a</del>\n<ins>+b</ins>\n</pre>":                                                                                      "```diff\n-a\n+b\n```\n\n```\n-a\n+b\n```\n",
		"<pre><span><span>9</span><span>a</span>\n</span><span><span>10</span><span>b</span></span></pre><pre><b>1</b> x\n<b>3</b> y</pre><pre><i aria-hidden=true>$ </i>ls</pre>": "```\na\nb\n```\n\n```\n1 x\n3 y\n```\n\n```\n$ ls\n```\n",
		"<pre><b>1</b>\n<b>2</b>\n</pre><pre><b>524288</b>\n</pre>":                                                                                                                "```\n1\n2\n```\n\n```\n524288\n```\n",
		// Signatures.
		`<dl class="py function"><dt class="sig sig-object py" id="f"><span class="sig-name">f</span>(<em><span>maxsize</span><span>=</span><span>0</span></em>)<a class="reference internal" href="s.html"><span class="viewcode-link">[source]</span></a><a class="headerlink" href="#f">¶</a></dt><dd>Does it.</dd></dl>`: "```py\nf(maxsize=0)\n```\n\nDoes it.\n",
		`<div class="member-signature"><span>public</span>&nbsp;<span>String</span><wbr><span>(<a href="S.html">String</a>&nbsp;original,` + "\n" + ` int[]&nbsp;a)</span></div><p>Makes it.`:                                                                                                                                "```\npublic String(String original, int[] a)\n```\n\nMakes it.\n",
		`<section id="method.x"><span class="rightside"><span class="since">1.0</span></span><h4 class="code-header">pub fn <a href="#method.x" class="fn">x</a>(a: <a href="u.html">usize</a>) -&gt; T</h4></section>`:                                                                                                      "1.0\n\n#### `pub fn x(a: usize) -> T`\n",
		`<div class="memproto"><div class="memtemplate">template&lt;T&gt;</div><table class="memname"><tr><td class="memname">void <a class="el" href="a.html">A</a>::f </td><td>(</td><td class="paramtype">int&#160;</td><td class="paramname"><em>a</em></td><td>)</td><td> const</td></tr></table></div>`:                "```cpp\ntemplate<T> void A::f (int a) const\n```\n",
		`<pre class="rust item-decl"><code>pub struct X;</code></pre>`:                                                                                                                                                                                                                     "```rust\npub struct X;\n```\n",
		`<pre>let x;<a class="test-arrow" href="https://play.example.com/">Run</a></pre><a class="test-arrow" href="https://play.example.com/">Run</a>`:                                                                                                                                    "```\nlet x;\n```\n",
		`<p class=src><b>type</b> <a href=#T>T</a> a <a class=link href="s.html">Source</a> <a href="#T" class=selflink>#</a><ul><li><span class=summary_signature><a href="#b">#<b>b</b>(x)</a></span></ul>`:                                                                              "```\ntype T a\n```\n\n- [`#b(x)`](https://docs.example.com/guide/page?x=1#b)\n",
		`<div><span class=py-keyword>def</span> <b>f</b>(): <a href="/x/blob/f.py#L8">(source)</a></div><p class=pre>x<div class=pre>f(<a href=n>n</a>)</div><p>So <code><a href=c><i>C</i></a></code> is <span class=code>a</span><span class=code>(b)</span>`:                            "```\ndef f():\n```\n\nx\n\n```\nf(n)\n```\n\nSo [`C`](https://docs.example.com/guide/c) is `a(b)`\n",
		`<p><tt>(let ([a 1])<br>&nbsp;&nbsp;a)</tt><p>The <tt>a<br>b</tt> is`:                                                                                                                                                                                                              "```\n(let ([a 1])\n  a)\n```\n\nThe `a b` is\n",
		`<div class=tsd-signature>interface A {<br>&nbsp; b: C;<br>}</div>`:                                                                                                                                                                                                                "```\ninterface A {\n  b: C;\n}\n```\n",
		`<div><span class=method-name>push</span><span class=method-args>(job, n: 0)</span> <span class=click-advice>click to toggle source</span></div><p class=x-signature>Made by some one here`:                                                                                        "```\npush(job, n: 0)\n```\n\nMade by some one here\n",
		`<h4>f<span class=params>(a_b)</span></h4><h4>g<span class=params>(a: <a href=t>T</a>)</span></h4><p>So <span class=arg>x</span> (that is) is.`:                                                                                                                                    "#### `f(a_b)`\n\n#### g(a: [T](https://docs.example.com/guide/t))\n\nSo x (that is) is.\n",
		`<table><tr><td><p>procedure</p><table><tr><td><span>(f</span><td><span>&nbsp;</span><td><span>x)</span></table><tr><td><span>&nbsp; </span><span><a href=x>x</a></span> : <span><a href=t>t?</a></span></table><table><tr><td><span>1&nbsp;</span><td><a href=a>f(x)</a></table>`: "```\nprocedure\n(f x)\n  x : t?\n```\n\n| 1 | [f(x)](https://docs.example.com/guide/a) |\n|---|---|\n",
		`<table><tr><td><tt><b>begin</b> f(</tt><tr><td><tt>&nbsp; a)</tt></table><table><tr><td><span>(f</span><span>&nbsp;</span><a href=x>x</a><tr><td><span>)</span></table><pre class="x ruby">a</pre>`:                                                                               "```\nbegin f(\n  a)\n```\n\n```\n(f x\n)\n```\n\n```ruby\na\n```\n",
		// Controls in headings, and after a text.
		`<h2>Methods <small><a href="#" class=fold_toggle>zuklappen</a></small> <a href="#top">↑</a></h2><p>Text <a href=/x/edit/e.html>Edit</a><h3>C <span>[<a href=e.html>edit</a>]</span></h3><p>The <a href=s.html>source</a>`:                    "## Methods\n\nText\n\n### C\n\nThe [source](https://docs.example.com/guide/s.html)\n",
		`<h2>A<span class=sep></span><a href=b.html>B</a></h2><pre>a<ul class=dropdown-menu><li>x</ul></pre>`:                                                                                                                                         "## A [B](https://docs.example.com/guide/b.html)\n\n```\na\n```\n",
		`<h2 id=x>Head<a class="headerlink" href="#x" title="Permalink">¶</a></h2>`:                                                                                                                                                                   "## Head\n",
		`<dl><dt id=g><a href="page?x=1#g"><code>-g</code></a> file<dd>The file.</dl><p><span class=x-copy-popup>Copied</span>a <span style="font-weight:bold">b</span> <span style="font-family: monospace">c</span> <code><a href=k>k</a>()</code>`: "**`-g` file**\n\nThe file.\n\na **b** `c` [`k()`](https://docs.example.com/guide/k)\n",
		`<main><h3><button aria-expanded=false id=a>Why</button></h3><div hidden role=region aria-labelledby=a><p>So.</div><div><button aria-expanded=true>dir</button><div>file</div></div></main>`:                                                  "### Why\n\nSo.\n\ndir\n\nfile\n",
		// Tabs.
		`<div><div role=tablist><button role=tab>A</button><button role=tab aria-selected=true>B</button></div><div role=tabpanel id=p><p>B</p><p>b</div></div>`:                                                                         "**B**\n\nb\n",
		`<div class="tabs-container"><ul role="tablist"><li role="tab">npm</li><li role="tab">yarn</li></ul><div><div role="tabpanel"><p>npm i</div><div role="tabpanel" hidden><p>yarn add</div></div></div>`:                           "**npm**\n\nnpm i\n\n**yarn**\n\nyarn add\n",
		`<div><div role="tablist"><a role="tab" id="t1" href="#p1">One</a><a role="tab" id="t2" href="#p2">Two</a></div><section role="tabpanel" aria-labelledby="t2" hidden>second</section></div>`:                                     "**Two**\n\nsecond\n",
		`<div class="tabbed-set"><input type=radio><div class="tabbed-labels"><label>C</label><label>C++</label></div><div class="tabbed-content"><div class="tabbed-block"><p>c</div><div class="tabbed-block"><p>cc</div></div></div>`: "**C**\n\nc\n\n**C++**\n\ncc\n",
		`<div class=tabs><div class=l><div>A</div><div>B</div></div><div class=c><div aria-hidden=false>a</div><div aria-hidden=true>b</div></div></div>`:                                                                                "**A**\n\na\n\n**B**\n\nb\n",
		`<div><div role=tablist><button role=tab aria-controls=q>Q</button></div></div><div><div><div><div><p>x<div role=tabpanel id=q aria-hidden=true>q</div></div></div></div></div>`:                                                 "x\n\n**Q**\n\nq\n",
		`<div role=tablist><button role=tab aria-controls=q>A</button><button role=tab aria-controls=q>B</button></div><div role=tabpanel id=q>q</div>`:                                                                                  "q\n",
		"<div class=fragment><div class=line>if (x)</div><div class=line>&nbsp; y();</div></div>":                                                                                                                                        "```\nif (x)\n  y();\n```\n",
		`<div class=tabs><ul><li><a href="#a">A</a><li><a href="#b">B</a></ul></div><div><div id=a>a</div><div id=b class=hidden>b</div></div>`:                                                                                          "**A**\n\na\n\n**B**\n\nb\n",
		`<div class=tab><button>A</button><button>B</button></div><div class=tabcontent>a</div><div class=tabcontent>b</div>`:                                                                                                            "**A**\n\na\n\n**B**\n\nb\n",
		`<div class=summary-table><div class=col-first>A</div><div class=col-last>B</div><div class=col-first>1</div><div class=col-last>2</div></div>`:                                                                                  "| A | B |\n|---|---|\n| 1 | 2 |\n",
		`<p>Wait<span class=footnote><sup>1</sup> <sup>1</sup>Ten seconds.</span> now.<figure><table><tr><th>A<th>B</table><figcaption>Sizes</figcaption></figure>`:                                                                      "Wait (Ten seconds.) now.\n\nSizes\n\n| A | B |\n|---|---|\n",
		`<h4>cancel(Ref) -> <br>{ok, Ref}</h4>`: "#### `cancel(Ref) -> {ok, Ref}`\n",
		`<p>The size is \(a_1 = \frac{b}{2}\) of \(it\).<dl><dt>1.<dd>Dig.<dt>2.<dd>Sow.</dl><a class=button href="#">Run</a>`: "The size is $`a_1 = \\frac{b}{2}`$ of \\\\(it\\\\).\n\n1. Dig.\n2. Sow.\n",
		// Code in tables with numbers of lines, names of languages, folders of file trees.
		"<table><tr><td><pre>9\n10\n</pre><td><pre>a\nb\n</pre></table>":                                                                                                           "```\na\nb\n```\n",
		"<table><tr><td><pre>\n\n\n7\n8</pre><td><pre># File\n\na\nb\n</pre></table>":                                                                                              "```\n# File\n\na\nb\n```\n",
		"<figure class='highlight python'><table><tr><td><pre>1\n2</pre><td><pre>a\nb\n</pre></table></figure><pre class='tab tab-shell'>ls</pre>":                                 "```python\na\nb\n```\n\n```shell\nls\n```\n",
		"<pre class='src src-sh'><span class=linenr>5: </span>ls</pre><pre><i>7</i> + 2</pre>":                                                                                     "```sh\nls\n```\n\n```\n7 + 2\n```\n",
		"<div class='ltx_lst_language_Python ltx_listing'>\n<div>\n  <span>1</span>\n  <span>def f():</span>\n</div>\n<div>\n  <span>2</span>\n<span>  g()</span>\n</div>\n</div>": "```python\ndef f():\n  g()\n```\n",
		"<div class=language-js><span>js</span><pre>a</pre></div>":                                                                                                                 "```js\na\n```\n",
		"<main><ul><li><button aria-expanded=true>beds</button><ul><li>rose</ul></ul><ul><li>[x] done<li>[ ] open</ul></main>":                                                     "- beds\n  \n  - rose\n\n- [x] done\n- [ ] open\n",
		"<dl><dt>timeout<span class=classifier>float</span><dd>When.</dl><a rel=next href=b>Next</a><p>x<span class=sr-only>y</span>":                                              "**timeout : float**\n\nWhen.\n\nx\n",
		// Tables with code.
		"<table><tr><th>Name<th>Use<tr><td>a<td><pre>a | b</pre><tr><td>b<td><pre>`b`</pre></table>":                                              "| Name | Use |\n|---|---|\n| a | `a \\| b` |\n| b | `` `b` `` |\n",
		"<table><tr><th>Name<th>Use<tr><td>a<td><pre>a\n  b</pre><tr><td><td><pre>c</pre>done</table>":                                            "**Name**\n\na\n\n**Use**\n\n```\na\n  b\n```\n\n**Use**\n\n```\nc\n```\n\ndone\n",
		"<table><tr><td>a<td><pre>a\n  b</pre></table>":                                                                                           "a\n\n```\na\n  b\n```\n",
		"<table><tr><td>Menu<td><table><tr><th>A<th>B<tr><td>1<td>2</table></table>":                                                              "Menu\n\n| A | B |\n|---|---|\n| 1 | 2 |\n",
		"<table><tr><th>A<th>B<tr><td rowspan=2>1<td><pre>x\ny</pre><tr><td>2</table>":                                                            "A\n\nB\n\n1\n\n```\nx\ny\n```\n\n2\n",
		"<table><tr><th>A<th>" + strings.Repeat("long", 30) + "<tr><td>1<td><pre>x\ny</pre></table>":                                              "A\n\n" + strings.Repeat("long", 30) + "\n\n1\n\n```\nx\ny\n```\n",
		"<table><tr><th><p>Name<p>Use<tr><td><p>a<p>does it</table>":                                                                              "Name\n\nUse\n\na\n\ndoes it\n",
		"<pre class=playground><code class=language-rust><span class=boring>fn main() {\n</span>let x;\n<span class=boring>}</span></code></pre>": "```rust\nlet x;\n```\n",
		// Notices that their titles, icons and attributes reveal.
		`<div class=docs-note><div class=docs-note-title><h6>Note</h6></div><div><p>Keep it.</div></div><div class=callout><i class="fa fa-warning"></i><p>Hot.</div>`: "> [!NOTE]\n> Keep it.\n\n> [!WARNING]\n> Hot.\n",
		`<table><tr><td><img alt="[Tip]" src=t.png><td><p>Try.</table><div data-callout=danger class=callout><div class=callout-title>Fire</div><p>Run.</div>`:         "> [!TIP]\n> Try.\n\n> [!CAUTION]\n> **Fire**\n>\n> Run.\n",
		// Lines of code in elements, numbers of lines, tables with one cell of text, headings around their places.
		"<table><tr><td class=gutter><div class=line>1</div><div class=line>2</div><td><div><div class=line>a</div><div class=line>&nbsp;b</div></div></table>":   "```\na\n b\n```\n",
		"<div class=line-block><div class=line>Roses (red)</div><div class=line>are.</div></div><table><tr><td>Only.<td></table><a id=s href='#s'><h2>S</h2></a>": "Roses (red)\n\nare.\n\nOnly.\n\n## S\n",
		"<div id=tabs><ul><li><a href='#a'>A</a><li><a href='#b'>B</a></ul><div id=a>1</div><div id=b>2</div></div>":                                              "**A**\n\n1\n\n**B**\n\n2\n",
		// Scripts that are not run, late images.
		`<p><img class=lazy src="blank.gif" data-src="a.png" alt=A><noscript>Turn it on.</noscript><img data-srcset="d.png 1x" alt=D>`: "![A](https://docs.example.com/guide/a.png)![D](https://docs.example.com/guide/d.png)\n",
		`<noscript><p>` + strings.Repeat("text ", 60) + `</noscript>`:                                                                  strings.TrimSpace(strings.Repeat("text ", 60)) + "\n",
		`<img src="blank.gif" data-src="a.png" alt=A>`:                                                                                 "![A](https://docs.example.com/guide/a.png)\n",
	} {
		must.Equal(t, want, readHTML(t, body).Markdown(nil), body)
	}
}

// TestAbsentParts has a page that lacks what scripts show.
func TestAbsentParts(t *testing.T) {
	p := readHTML(t, `<div><ul role=tablist><li role=tab>A<li role=tab>B</ul><div><div role=tabpanel>a</div></div></div><div class=mermaid></div>`)
	if got := strings.Join(p.Notes, " "); got != "1 of 2 tab panels are not in the page; agents get them with serve --browser. Diagrams that scripts draw are not in the page (1); agents get them with serve --browser." {
		t.Error(got)
	}
}

// A page whose text scripts make says so: it has a script and hardly any words besides its title and headings.
func TestNeedsBrowser(t *testing.T) {
	few, enough := "Please wait.", strings.Repeat("The pump has a valve. ", 4)
	const run = `<script src="main.js"></script>`
	for _, test := range []struct {
		body  string
		needs bool
	}{
		{`<div id="app">Loading...</div>` + run, true}, {`<h1>A title of the page with a good many words in it</h1><p>` + few + run, true},
		{`<p>` + few, false}, {`<p>` + enough + run, false}, {`<p>` + few + `<script type="application/ld+json">{}</script>`, false},
		{`<pre>` + enough + `</pre>` + run, false},
	} {
		page, err := Choice{}.Read(Source{URL: &url.URL{Scheme: "https", Host: "a.example", Path: "/"}, ContentType: "text/html", Body: []byte("<title>T</title>" + test.body)})
		if err != nil || slices.Contains(page.Notes, NeedsBrowser) != test.needs {
			t.Errorf("%s: %v, %v", test.body, page.Notes, err)
		}
	}
}

// TestFormulas compares formulas with an expression that finds the same, in quadratic time.
func TestFormulas(t *testing.T) {
	const begun = `(?s)\\\(.+?\\\)|\\\[.+?\\\]|\\begin` + environment + `.+?\\end` + environment
	oracle, oracleDollars := regexp.MustCompile(begun), regexp.MustCompile(begun+`|\$\$.+?\$\$|\$[^\s$][^$]*\$`)
	tokens := []string{`\(`, `\)`, `\[`, `\]`, "$", "$$", "a", "é", " ", "\n", `\`, `\begin{align}`, `\end{align*}`, `\end{gather}`}
	for range 20_000 {
		var b strings.Builder
		for range rand.IntN(9) {
			b.WriteString(tokens[rand.IntN(len(tokens))])
		}
		for written, want := range map[*regexp.Regexp]*regexp.Regexp{begins(): oracle, dollars(): oracleDollars} {
			var bounds [][2]int
			for _, m := range want.FindAllStringIndex(b.String(), -1) {
				bounds = append(bounds, [2]int(m))
			}
			if got := formulas(b.String(), written); !slices.Equal(got, bounds) {
				t.Fatalf("%q: %v, want %v", b.String(), got, bounds)
			}
		}
	}
	for _, mark := range tokens { // in quadratic time, this takes minutes
		formulas(strings.Repeat(mark+`\[a`, 100_000), dollars())
	}
}

// TestStream reads pages whose content React sends after the page, in the order in which it is ready.
func TestStream(t *testing.T) {
	for body, want := range map[string]string{
		// A boundary in a boundary, each with a fallback.
		`<header><nav><a href=/>Home</a></nav></header><div id=root><!--$?--><template id="B:0"></template><p>Loading the page<!--$?--><template id="B:7"></template><!--/$--></p><!--/$--><footer>By us.</footer></div>
		<script>requestAnimationFrame(function(){$RT=performance.now()});</script><div hidden id="S:0"><main><h1>Trams</h1><p>They ring.</p><!--$?--><template id="B:1"></template><i>Loading</i><!--/$--><p>They stop.</p></main></div>
		<script>$RC=function(a,b){b=document.getElementById(b)};$RC("B:0","S:0")</script><div hidden id="S:1"><pre><code>ring()</code></pre></div><script>$RC("B:1","S:1")</script>`: "# Trams\n\nThey ring.\n\n```\nring()\n```\n\nThey stop.\n",
		// A part without a boundary, a row of a table, style sheets, and numbers that differ.
		`<main><h1>Fares</h1><template id="P:2"></template><p>Pay.</p><table><tr><th>Zone<th>Fare</tr><tbody><template id="P:3"></template></tbody></table><!--$?--><template id="B:a"></template><!--/$--></main>
		<div hidden id="S:2"><p>One zone.</p></div><script>$RS("S:2","P:2")</script><table hidden><tbody id="S:3"><tr><td>1<td>2 €</tr></tbody></table><script>$RS("S:3","P:3")</script>
		<div hidden id="S:4"><p>Two zones.</p></div><script>$RR("B:a","S:4",[["a.css"]])</script>`: "# Fares\n\nOne zone.\n\nPay.\n\n| Zone | Fare |\n|---|---|\n| 1 | 2 € |\n\nTwo zones.\n",
		// Calls without a place, and with a place in its own part.
		`<main><h1>Stops</h1><p>None.</p></main><div id="S:5"><template id="B:5"></template></div><script>$RC("B:5","S:5");$RC("B:6","S:5");$RC("B:5","S:6")</script>`: "# Stops\n\nNone.\n",
	} {
		if got := readHTML(t, body).Markdown(nil); got != want {
			t.Errorf("%s\n got %q\nwant %q", body, got, want)
		}
	}
}

// TestHidden reads a page that hides its content until a script shows it: the note says that the page is incomplete.
func TestHidden(t *testing.T) {
	prose := strings.Repeat("<p>A tram of line seven stops here.</p>", 20)
	p := readHTML(t, `<main><h1>Trams</h1><p>Please wait.</p></main><div hidden id=late>`+prose+`</div><script src=show.js></script>`)
	if notes := strings.Join(p.Notes, " "); !strings.Contains(notes, "hidden") {
		t.Errorf("the notes are %q", notes)
	}
	if p := readHTML(t, `<main><h1>Trams</h1>`+prose+`</main><div hidden>`+prose+prose+`</div>`); len(p.Notes) > 0 {
		t.Errorf("the notes are %q", p.Notes)
	}
}
