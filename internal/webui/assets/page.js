// What the web UI adds with JavaScript. Everything works without it.
'use strict'
{
  const $ = (selector, from = document) => from.querySelector(selector)
  const base = document.body.dataset.base ?? ''
  const root = document.documentElement

  // Light and dark.
  const store = (act) => { try { return act(localStorage) } catch { return null } }
  const chosen = store((s) => s.getItem('theme'))
  if (chosen === 'light' || chosen === 'dark') root.dataset.theme = chosen
  const theme = $('#theme')
  if (theme) {
    theme.hidden = false
    theme.addEventListener('click', () => {
      const dark = root.dataset.theme ? root.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches
      root.dataset.theme = dark ? 'light' : 'dark'
      store((s) => s.setItem('theme', root.dataset.theme))
    })
  }

  // Copy buttons, also one for each block of code: only secure pages can write to the clipboard.
  const offerCopies = (page) => {
    if (!navigator.clipboard) return
    for (const pre of page.querySelectorAll('pre.code')) {
      if (pre.parentElement.matches('.copy')) continue
      const block = Object.assign(page.createElement('div'), { className: 'copy block' })
      pre.replaceWith(block)
      block.append(pre, Object.assign(page.createElement('button'), { type: 'button', className: 'do-copy', textContent: 'Copy' }))
    }
    for (const b of page.querySelectorAll('.do-copy')) b.hidden = false
  }
  document.addEventListener('click', async (event) => {
    const button = event.target.closest?.('.do-copy')
    if (!button) return
    const text = button.dataset.copy ? document.getElementById(button.dataset.copy).textContent.trim() : $('pre', button.parentElement).textContent
    await navigator.clipboard.writeText(text)
    const label = button.firstChild
    label.textContent = 'Copied'
    setTimeout(() => { label.textContent = 'Copy' }, 1500)
  })
  offerCopies(document)

  // Formulas become MathML. Their source stays in it as an annotation, and stays on the page if it has a mistake.
  const most = { formulas: 2000, length: 5000 }
  const showFormulas = async (page) => {
    const sources = [...page.querySelectorAll('code.math')].slice(0, most.formulas)
    if (sources.length === 0) return
    if (typeof globalThis.temml?.render !== 'function') {
      await new Promise((resolve, reject) => {
        document.head.append(Object.assign(document.createElement('script'), { src: document.body.dataset.math, onload: resolve, onerror: reject }))
      })
    }
    for (const code of sources) {
      const block = code.closest('.copy.block') ?? code.closest('pre')
      const shown = document.createElement(block ? 'div' : 'span')
      try {
        if (code.textContent.length > most.length) continue
        globalThis.temml.render(code.textContent, shown, { displayMode: Boolean(block), annotate: true, trust: false, throwOnError: true, maxExpand: 500, maxSize: [50, 50] })
      } catch { continue }
      for (const e of shown.querySelectorAll('[id]')) e.removeAttribute('id') // a label must not take an id of the page
      if (block) shown.tabIndex = 0; // it may be scrolled
      (block ?? code).replaceWith(shown)
    }
  }
  const formulas = (page) => showFormulas(page).catch(() => {}) // the source stays
  formulas(document)

  // Folders in the table of contents open in place.
  const parse = (html) => new DOMParser().parseFromString(html, 'text/html')
  const openFolder = async (item, link) => {
    const inside = item.querySelector(':scope > .tree')
    if (inside) {
      inside.hidden = !inside.hidden
      item.classList.toggle('open', !inside.hidden)
      link.setAttribute('aria-expanded', String(!inside.hidden))
      return
    }
    let depth = 0 // of the sections that the item is in
    for (let tree = item.closest('.tree'); tree; tree = tree.parentElement.closest('.tree')) depth++
    const answer = await fetch(`${link.href}?part=tree&depth=${depth}`)
    if (!answer.ok) { location.assign(link.href); return }
    item.append(parse(await answer.text()).body.firstElementChild)
    item.classList.add('open')
    link.setAttribute('aria-expanded', 'true')
  }
  document.addEventListener('click', (event) => {
    if (event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
    const link = event.target.closest?.('#side .folder > a')
    if (!link) return
    // A click on the mark opens the folder in place. A click on the name leads to its page.
    if (event.offsetX > 24 || event.target.closest('.count')) return
    event.preventDefault()
    openFolder(link.parentElement, link)
  })
  document.addEventListener('keydown', (event) => {
    const link = event.target.closest?.('#side .folder > a')
    if (!link || (event.key !== 'ArrowRight' && event.key !== 'ArrowLeft')) return
    const inside = link.parentElement.querySelector(':scope > .tree')
    const open = Boolean(inside && !inside.hidden)
    if (open === (event.key === 'ArrowRight')) return
    event.preventDefault()
    openFolder(link.parentElement, link)
  })

  // Search while the viewer types.
  const input = $('#q')
  const hits = $('#hits')
  if (input) {
    let timer, asked = 0, from
    const close = () => { hits.hidden = true }
    const ask = async () => {
      const number = ++asked
      const words = input.value.trim()
      if (!words) { close(); return }
      const answer = await fetch(`${base}/search?part=hits&q=${encodeURIComponent(words)}`)
      if (number !== asked || !answer.ok) return
      hits.replaceChildren(...parse(await answer.text()).body.childNodes)
      hits.hidden = document.activeElement !== input && !hits.contains(document.activeElement)
      if ($('.reading', hits) && !hits.hidden) timer = setTimeout(ask, 2000)
    }
    input.addEventListener('input', () => { clearTimeout(timer); timer = setTimeout(ask, 120) })
    input.addEventListener('focus', () => { if (hits.childElementCount && input.value.trim()) hits.hidden = false })
    document.addEventListener('keydown', (event) => {
      const typing = event.target.closest?.('input, textarea, select')
      const chord = event.ctrlKey || event.metaKey
      if ((event.key === '/' && !typing && !chord) || (event.key.toLowerCase() === 'k' && chord)) { event.preventDefault(); from = event.target; input.focus(); input.select() }
      if (event.key === 'Escape' && event.target.closest?.('.search')) { close(); document.activeElement.blur(); from?.focus() }
      if (hits.hidden || (event.key !== 'ArrowDown' && event.key !== 'ArrowUp')) return
      const links = [input, ...hits.querySelectorAll('a')]
      const index = links.indexOf(document.activeElement)
      if (index < 0) return
      event.preventDefault()
      links[(index + (event.key === 'ArrowDown' ? 1 : links.length - 1)) % links.length].focus()
    })
    document.addEventListener('focusin', (event) => { if (!event.target.closest('.search')) close() })
    document.addEventListener('click', (event) => { if (!event.target.closest('.search')) close() })
  }

  // The contents of a document mark the section that is read.
  let drawing = false
  const follow = () => {
    drawing = false
    let here = null
    const links = [...document.querySelectorAll('.toc a')]
    for (const a of links) if ((document.getElementById(decodeURIComponent(a.hash.slice(1)))?.getBoundingClientRect().top ?? Infinity) < 120) here = a
    for (const a of links) if (a === here) a.setAttribute('aria-current', 'location'); else a.removeAttribute('aria-current')
    const list = here?.closest('.toc')
    if (list && list.scrollHeight > list.clientHeight) list.scrollTop = here.offsetTop - list.clientHeight / 2
  }
  addEventListener('scroll', () => { if (!drawing) { drawing = true; requestAnimationFrame(follow) } }, { passive: true })
  follow()

  // The table of contents is open in wide windows. An answer is scrolled into view.
  const side = $('#side')
  const wide = matchMedia('(min-width: 52.01rem)')
  const fit = () => { if (side) side.open = wide.matches }
  wide.addEventListener('change', fit)
  fit()
  $('#side .scroll')?.scrollTo(0, 0)
  $('#side [aria-current]')?.scrollIntoView({ block: 'nearest' })
  scrollTo(0, 0)
  if (location.hash) document.getElementById(decodeURIComponent(location.hash.slice(1)))?.scrollIntoView()
  else $('#answer')?.scrollIntoView()

  // Changes. The viewer edits a file and comes back to this page.
  const keys = (from) => new Set([...from.querySelectorAll('details[open]')].map((d) => d.className + d.querySelector('summary').textContent))
  // refresh replaces the changed parts of the page. It keeps open details, form input and the focus.
  const refresh = async () => {
    const answer = await fetch(location.href, { headers: { accept: 'text/html' } })
    const fresh = parse(await answer.text())
    offerCopies(fresh)
    await formulas(fresh)
    const scrolled = $('#side .scroll')?.scrollTop ?? 0
    const focus = document.activeElement
    for (const id of ['side', 'main']) {
      const old = document.getElementById(id)
      const now = fresh.getElementById(id)
      if (!old || !now || (id === 'main' && old.querySelector('[data-keep]'))) continue
      const opened = keys(old)
      for (const d of now.querySelectorAll('details')) if (opened.has(d.className + d.querySelector('summary').textContent)) d.open = true
      if (id === 'side') now.open = old.open
      if (old.isEqualNode(now)) continue
      if (old.contains(focus) && focus.matches('input, textarea, select')) continue
      const href = old.contains(focus) ? focus.getAttribute('href') : null
      old.replaceChildren(...now.childNodes)
      if (id === 'side') $('.scroll', old).scrollTop = scrolled
      if (href) [...old.querySelectorAll('a')].find((a) => a.getAttribute('href') === href)?.focus()
    }
  }
  const reread = async () => {
    await refresh().catch(() => {}) // the server may be gone
    wait()
  }
  // A page in the background asks for nothing: back does when it is looked at again.
  const wait = () => { if ($('#main .reading') && !document.hidden) setTimeout(() => document.hidden || reread(), 2000) }
  let soon
  const back = () => { clearTimeout(soon); soon = setTimeout(reread, 100) } // several events come at once
  addEventListener('focus', back)
  document.addEventListener('visibilitychange', () => { if (!document.hidden) back() })
  addEventListener('pageshow', (event) => { if (event.persisted) back() })
  wait()
}
