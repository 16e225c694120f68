// Answers as Cloudflare's binding for assets does, from a folder: for running a Worker on one's own machine.
export default {
  async fetch(request, { FILES }) {
    const { pathname } = new URL(request.url)
    const response = await FILES.fetch(new Request(`http://files${pathname}`))
    return response.ok && !pathname.endsWith('/') ? new Response(response.body) : new Response(null, { status: 404 })
  },
}
