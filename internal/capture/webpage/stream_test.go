package webpage

import (
	"strings"
	"testing"
)

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
