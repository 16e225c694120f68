// For each generator, the elements that belong to a page. These are facts about its templates, independent of the rules of the
// program.
//
//   root      the folder of the pages, relative to the folder of corpus.sh
//   pages     which of them are documents, and not a list of every name or a page without text
//   content   selects the main content; several elements are all content
//   remove    selects elements in it that are not content: navigation, marks of permalinks, buttons, line numbers
//   optional  selects elements that a rule may keep or leave out: a table of contents, the path to the page, its date
const doc = 'deb/usr/share/doc/'
const sphinx = { content: 'div.body, [role=main]', remove: '.headerlink, .viewcode-link, .edit-page, .copybtn, .linenos, .lineno', optional: '.contents, .topic.contents', pages: /^(?!.*(genindex|py-modindex|search|_modules)).*\.html$/ }
const docbook = { content: 'body', remove: '.navheader, .navfooter, .headerlink, .reportbug, a.anchor', optional: '.toc, .titlepage hr' }
const gtkdoc = { ...docbook, remove: 'table.navigation, .footer, .listing_lines, ' + docbook.remove }
const texinfo = { content: 'body', remove: 'div.header, div.nav-panel, .copiable-anchor, .copiable-link, hr', optional: '.contents, .Contents_element, .contents-heading, .section-toc, .mini-toc, .menu' }
const doxygen = { content: 'div.header .title, div.contents', remove: '.dynheader, .ttc, .permalink, .memtemplate + .x, .lineno, .iconopen', optional: '.toc, .textblock .dyncontent, .dyncontent, .levels' }
const javadoc = { content: 'main, [role=main], div.header, div.contentContainer', remove: '.sub-title button, .copy, .table-tabs, .caption .x', optional: '.sub-title, .inheritance, .toc, .breadcrumbs' }

export default [
  { name: 'Sphinx classic', root: doc + 'python3.11/html', ...sphinx },
  { name: 'Sphinx of Django', root: doc + 'python-django-doc/html', ...sphinx, content: '#bd .yui-b > *, div.body', remove: '#sidebar, .nav, ' + sphinx.remove },
  { name: 'Sphinx of CMake', root: doc + 'cmake-data/html', ...sphinx },
  { name: 'Sphinx Read the Docs', root: doc + 'linux-doc-6.1/html', ...sphinx, content: '[itemprop=articleBody]' },
  { name: 'Sphinx of scikit-learn', root: doc + 'python-sklearn-doc/html', ...sphinx, content: '.sk-page-content' },
  { name: 'Sphinx Alabaster', root: doc + 'python-requests-doc/html', ...sphinx },
  { name: 'Sphinx of LLVM', root: doc + 'llvm-14-doc/html', ...sphinx },
  { name: 'Sphinx of Debian', root: doc + 'debian-policy/policy.html', ...sphinx },
  { name: 'DocBook (PostgreSQL)', root: doc + 'postgresql-doc-15/html', ...docbook, pages: /^(?!.*(bookindex|legalnotice)).*\.html$/ },
  { name: 'DocBook (XSL)', root: doc + 'docbook-xsl-doc-html/doc', ...docbook },
  { name: 'DocBook (GIMP)', root: 'deb/usr/share/gimp/2.0/help/en', ...docbook },
  { name: 'DocBook (Publican)', root: doc + 'debian-handbook/html/en-US', ...docbook, remove: '#banner, .docnav, #title, ' + docbook.remove },
  { name: 'BoostBook', root: doc + 'libboost1.74-doc/doc/html/boost', ...docbook, remove: '.spirit-nav, body > table, .copyright-footer, ' + docbook.remove },
  { name: 'gtk-doc', root: 'deb/usr/share/gtk-doc/html', ...gtkdoc, pages: /^(?!.*(index|annotation-glossary)).*\.html$/ },
  { name: 'gi-docgen', root: doc + 'libgtk-4-doc', content: '#main, section.content', remove: '.anchor, .toggle-button, .srclink, [aria-hidden=true]', optional: 'header h3' },
  { name: 'AsciiDoc (git)', root: doc + 'git-doc', content: '#header, #content', remove: '', optional: '#toc' },
  { name: 'Asciidoctor', root: doc + 'kicad/help/en', content: '#header h1, #content', remove: '.anchor', optional: '#toc' },
  { name: 'Doxygen (Eigen)', root: doc + 'libeigen3-doc/html', ...doxygen, pages: /^(?!.*(_source|-members|dir_|functions|globals|hierarchy|annotated|classes)).*\.html$/ },
  { name: 'Doxygen (wxWidgets)', root: doc + 'wx3.2-doc/html', ...doxygen, pages: /^(?!.*(_source|dir_|functions|globals|hierarchy|annotated|classes)).*\.html$/ },
  { name: 'Doxygen (its manual)', root: doc + 'doxygen/html', ...doxygen, content: 'div.header .title, div.contents' },
  { name: 'Javadoc 17', root: doc + 'openjdk-17-jre-headless/api', ...javadoc, pages: /^(?!.*(class-use|index-files|-use|-tree|allclasses|overview|src-html)).*\.html$/ },
  { name: 'Javadoc of Commons Lang', root: doc + 'libcommons-lang3-java/api', ...javadoc, pages: /^(?!.*(class-use|index-files|-use|-tree|allclasses|overview|src-html)).*\.html$/ },
  { name: 'Groovydoc', root: doc + 'groovy/gapi', ...javadoc, content: 'div.header, div.contentContainer', remove: '.bottomNav, .subNav', pages: /^(?!.*(index-all|allclasses|overview|package-frame)).*\.html$/ },
  { name: 'rustdoc', root: doc + 'rust-doc/html/std', content: 'main, #main-content', remove: '.anchor, .src, .srclink, .out-of-band, .test-arrow, .tooltip, #copy-path, .copy-path, .notable-traits', optional: '.rustdoc-toggle > summary.hideme, .hidden-by-usual-hider', pages: /^(?!all\.|.*(sidebar-items|\/macro\..*!)).*\.html$/ },
  { name: 'mdBook', root: doc + 'rust-doc/html', content: '#content main, main', remove: '.buttons, .boring', optional: '', pages: /^(reference|cargo|nomicon|rustdoc|rustc|rust-by-example|edition-guide|unstable-book)\/(?!print|toc|index).*\.html$/ },
  { name: 'rustdoc (Markdown)', root: doc + 'rust-doc/html', content: 'body', remove: '#versioninfo, .test-arrow', optional: '#TOC, nav, footer, .header-byline', pages: /^(book|reference|[a-z_-]+\.html).*\.html$/, having: '#versioninfo' },
  { name: 'Texinfo (FFmpeg)', root: doc + 'ffmpeg/manual', ...texinfo, remove: texinfo.remove + ', .pull-right, .anchor', optional: texinfo.optional + ', p[style*="font-size: small"]' },
  { name: 'Texinfo (Octave)', root: doc + 'octave', ...texinfo },
  { name: 'Texinfo (Maxima)', root: doc + 'maxima-doc/html', ...texinfo },
  { name: 'Texinfo (LilyPond)', root: doc + 'lilypond/html/Documentation', ...texinfo, content: '#main, body:not(:has(#main))', remove: texinfo.remove + ', .nav_table, #footer, .nav, #tocframe', pages: /^(notation|learning|usage|extending|internals)\/[^.]*\.html$/ },
  { name: 'Texinfo (SBCL)', root: doc + 'sbcl', ...texinfo },
  { name: 'scaladoc', root: doc + 'scala-2.11/api', content: '#definition, #signature, #comment, #template', remove: '#inheritedMembers, .morelinks, #mbrsel, .toggle', optional: '#tooltip, .hiddenContent', pages: /^(?!.*(index|package\.html$)).*\.html$/ },
  { name: 'YARD', root: doc + 'yard/doc', content: '#content', remove: '.summary_toggle, .inheritanceTree, .lines, .toggleSource', optional: '.source_code, .note.title, #toc', pages: /^(?!.*(list|frames|_index)).*\.html$/ },
  { name: 'Crystal', root: doc + 'crystal/api-docs', content: '.main-content', remove: '.method-permalink, .view-source, .superclass-hierarchy', optional: '.methods-inherited' },
  { name: 'Nim', root: doc + 'nim/html', content: '.title, #content', remove: '.link-seesrc', optional: '', pages: /^(?!theindex|nimgrep).*\.html$/ },
  { name: 'Haddock', root: doc + 'ghc-doc/html/libraries', content: '#module-header .caption, #content', remove: '.selflink, .link, #table-of-contents, #synopsis, .instance.toggle', optional: '#module-header .info, #interface .x', pages: /^[^/]+\/[A-Z][^/]*\.html$/ },
  { name: 'Erlang', root: doc + 'erlang-doc/lib', content: '#content', remove: '.footer', optional: '.title_link', pages: /doc\/html\/(?!.*(index|release_notes|internal)).*\.html$/ },
  { name: 'QDoc', root: 'deb/usr/share/qt5/doc', content: '.mainContent', remove: '.sidebar, .naviNextPrevious', optional: '.toc', pages: /^(?!.*-members).*\.html$/ },
  { name: 'Scribble', root: doc + 'racket/html', content: '.main', remove: '.navsettop, .navsetbottom, .versionbox, .SAuthorListBox', optional: '.toptoclink' },
  { name: 'Node.js', root: doc + 'nodejs/api', content: '#apicontent', remove: '.mark, .copy-button, .js-flavor-toggle', optional: '', pages: /^(?!all|index|documentation).*\.html$/ },
  { name: 'MediaWiki', root: 'deb/usr/share/cppreference/doc/html/en', content: '#firstHeading, #mw-content-text', remove: '.t-navbar, .editsection, .t-image-map, .noprint', optional: '#toc', pages: /^(?!index).*\.html$/ },
  { name: 'SQLite', root: doc + 'sqlite3', content: 'body', remove: 'div.nosearch, .menu, .searchmenu, #search_menubutton', optional: '.toc, #toc_sub, .fancy_toc, .imgcontainer svg', pages: /^(?!.*(keyword_index|sitemap|\/fileio|doclist|keywords)).*\.html$/ },
  { name: 'Apache', root: doc + 'apache2-doc/manual/en', content: '#preamble, #page-content', remove: '.toplang, .bottomlang, .top, #comments_section, .permalink', optional: '#quickview' },
  { name: 'Vim', root: doc + 'vim/html', content: 'body', remove: '', optional: '' },
  { name: 'R', root: doc + 'r-doc-html', ...texinfo },
  { name: 'Ant', root: doc + 'ant/manual', content: 'body', remove: '', optional: '' },
  { name: 'MkDocs', root: 'sites/mkdocs/out', content: '[role=main]', remove: '.headerlink', optional: '', pages: /^(?!404).*\.html$/ },
  { name: 'MkDocs (its manual)', root: doc + 'mkdocs/html', content: '[role=main]', remove: '.headerlink', optional: '', pages: /^(?!404).*\.html$/ },
  { name: 'Material for MkDocs', root: 'sites/material/out', content: 'article', remove: '.headerlink', optional: '', pages: /^(?!404).*\.html$/ },
  { name: 'Docusaurus', root: 'sites/docusaurus/build', content: '.theme-doc-markdown', remove: '.hash-link, [class*=buttonGroup]', optional: '', pages: /^(?!404).*\.html$/ },
  { name: 'VitePress', root: 'sites/small/vitepress/.vitepress/dist', content: '.vp-doc', remove: '.header-anchor, .copy, .lang, .line-numbers-wrapper', optional: '', pages: /^(?!404).*\.html$/ },
  { name: 'Starlight', root: 'sites/starlight/dist', content: 'h1#_top, .sl-markdown-content', remove: '.sl-anchor-link, .copy, .expressive-code .header .sr-only', optional: '', pages: /^(?!404).*\.html$/ },
  { name: 'HonKit', root: 'sites/small/honkit/honkit-out', content: '#book-search-results .normal section', remove: '', optional: '', pages: /^(?!SUMMARY).*\.html$/ },
  { name: 'TypeDoc', root: 'sites/small/typedoc-out', content: '.col-content', remove: '.tsd-anchor-icon, .tsd-kind-icon, svg, button, .tsd-breadcrumb', optional: '.tsd-sources, .tsd-hierarchy, .tsd-index-panel' },
  { name: 'JSDoc', root: 'sites/small/jsdoc-out', content: '#main', remove: '', optional: '.page-title', pages: /^(?!.*\.js\.html).*\.html$/ },
]
