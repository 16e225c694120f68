// act finds the element of an action, also in open shadow roots, and prepares it.
function act(type, selector, amount) {
  const all = (root, seen) => {
    const hit = root.querySelector(selector)
    if (hit || seen.count > 50000) return hit
    for (const element of root.querySelectorAll('*')) {
      seen.count++
      if (element.shadowRoot) {
        const inner = all(element.shadowRoot, seen)
        if (inner) return inner
      }
    }
    return null
  }
  if (type === 'scroll') {
    const page = document.scrollingElement || document.documentElement
    const before = page.scrollTop
    page.scrollBy({ top: amount, behavior: 'instant' })
    if (page.scrollTop !== before) return null
    // The page itself does not scroll, but an element in its middle may.
    for (let e = document.elementFromPoint(innerWidth / 2, innerHeight / 2); e; e = e.parentElement) {
      const top = e.scrollTop
      e.scrollBy({ top: amount, behavior: 'instant' })
      if (e.scrollTop !== top) break
    }
    return null
  }
  const element = all(document, { count: 0 })
  if (!element) return { found: false }
  element.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' })
  if (type === 'write') {
    element.focus()
    const focused = element.getRootNode().activeElement
    if (focused !== element && !element.contains(focused)) return { found: true, why: 'takes no text' }
    return { found: true }
  }
  const r = element.getBoundingClientRect()
  const x = r.left + r.width / 2, y = r.top + r.height / 2
  const top = element.getRootNode().elementFromPoint(x, y)
  if (r.width > 0 && r.height > 0 && top && (element === top || element.contains(top) || top.contains(element))) return { found: true, x, y }
  if (typeof element.click !== 'function') return { found: true, why: 'cannot be clicked' }
  element.click()
  return { found: true, done: true }
}
