// Replaces Cloudflare's binding for assets by a folder, to run a Worker on the developer's own machine.
export default {
  async fetch(request, { FILES }) {
    const { pathname } = new URL(request.url)
    const response = await FILES.fetch(new Request(`http://files${pathname}`))
    return response.ok && !pathname.endsWith('/') ? new Response(response.body) : new Response(null, { status: 404 })
  },
}
