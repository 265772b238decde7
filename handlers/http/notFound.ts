/** The answer for an unknown path, as in Besu. */
export const notFound = (): Response =>
  new Response('<html><body><h1>Resource not found</h1></body></html>', {
    status: 404,
    headers: { 'content-type': 'text/html; charset=utf-8' },
  })
