// read returns the HTML of a frame, or of the elements that a selector matches: elements with open shadow roots in
// their places, without scripts, styles and the like. It reads at most maxChars and maxNodes.
function read(selector, maxChars, maxNodes, inFrame) {
  const voids = new Set(['area', 'base', 'br', 'col', 'embed', 'hr', 'img', 'input', 'link', 'meta', 'param', 'source', 'track', 'wbr'])
  const skipped = new Set(['script', 'style', 'noscript', 'template', 'noembed', 'noframes', 'frame', 'object', 'embed'])
  const name = /^[a-zA-Z][a-zA-Z0-9:_.-]*$/
  const maxDepth = 400, maxAttribute = 8192
  const text = (s) => s.replace(/[&<>]/g, (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[c])
  const quoted = (s) => s.replace(/[&"<>]/g, (c) => ({ '&': '&amp;', '"': '&quot;', '<': '&lt;', '>': '&gt;' })[c])
  const parts = []
  let chars = 0, nodes = 0, cut = false
  const put = (s) => {
    if (chars + s.length > maxChars) {
      cut = true
      s = s.slice(0, maxChars - chars)
    }
    chars += s.length
    parts.push(s)
  }
  const children = (node) => {
    if (node.shadowRoot) return node.shadowRoot.childNodes
    if (node.localName === 'slot' && node.assignedNodes) {
      const assigned = node.assignedNodes()
      if (assigned.length > 0) return assigned
    }
    return node.childNodes
  }
  const open = (element, tag) => {
    let s = '<' + tag
    for (const { name: key, value } of element.attributes) {
      if (!name.test(key) || /^on/i.test(key) || key === 'srcdoc' || key === 'nonce') continue
      let v = value
      if (inFrame && (key === 'href' || key === 'src') && typeof element[key] === 'string') v = element[key]
      if (v.length > maxAttribute) continue
      s += ' ' + key + '="' + quoted(v) + '"'
    }
    return s + '>'
  }
  // The stack contains nodes, and closing tags. Recursion could overflow: pages may be nested deeper than calls.
  const write = (root) => {
    const stack = [[root, 0]]
    while (stack.length > 0 && !cut) {
      const top = stack.pop()
      if (typeof top === 'string') {
        put(top)
        continue
      }
      const [node, depth] = top
      if (++nodes > maxNodes) {
        cut = true
        break
      }
      if (node.nodeType === Node.TEXT_NODE || node.nodeType === Node.CDATA_SECTION_NODE) {
        put(text(node.data))
        continue
      }
      if (node.nodeType !== Node.ELEMENT_NODE) continue
      const tag = node.localName
      if (skipped.has(tag) && !(tag === 'script' && node.type === 'application/ld+json')) continue
      if (tag === 'link' && /stylesheet|preload|prefetch|preconnect/i.test(node.rel)) continue
      if (tag === 'iframe') {
        const html = globalThis.frameTexts && globalThis.frameTexts.get(node)
        if (html) put('<div>' + html + '</div>')
        continue
      }
      if (tag === 'script') {
        put('<script type="application/ld+json">' + node.textContent.replace(/<(?=[/!])/g, '\\u003c') + '</script>')
        continue
      }
      const plain = !name.test(tag) || depth > maxDepth || (inFrame && (tag === 'html' || tag === 'head' || tag === 'body'))
      if (inFrame && tag === 'head') continue
      if (!plain) {
        put(open(node, tag))
        if (voids.has(tag)) continue
        if (tag === 'textarea') put(text(String(node.value)))
        stack.push('</' + tag + '>')
      }
      if (tag === 'textarea') continue
      const list = children(node)
      for (let i = Math.min(list.length, maxNodes) - 1; i >= 0; i--) stack.push([list[i], depth + 1])
    }
    // Closes the elements that are open at the cut.
    for (let i = stack.length - 1; i >= 0; i--) if (typeof stack[i] === 'string') parts.push(stack[i])
  }
  let found = 0
  if (selector === '') {
    if (document.documentElement) write(document.documentElement)
    found = 1
  } else {
    for (const element of document.querySelectorAll(selector)) {
      if (cut) break
      found++
      write(element)
      put('\n')
    }
  }
  return { html: parts.join(''), cut, found, title: String(document.title).slice(0, 1000), url: String(location.href) }
}
