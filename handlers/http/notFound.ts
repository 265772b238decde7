/** The answer on a path that is not served, as Besu's HTTP server gives it. */
export const notFound = (): Response =>
  new Response('<html><body><h1>Resource not found</h1></body></html>', {
    status: 404,
    headers: { 'content-type': 'text/html; charset=utf-8' },
  })
