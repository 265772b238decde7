const SLASHES = /^\/{2,}$/

/** A path of one segment with a slash at its end. */
const WITH_SLASH = /^\/(login|liveness|readiness|graphql)\/$/

/** As it was sent: escapes are not decoded. */
export const pathOf = (url: string): string => URL.parse(url)?.pathname ?? ''

/**
 * Redirects another spelling of a path, which Besu serves, to the one that this node serves. A proxy would otherwise apply the
 * rule of a path to one spelling alone. Undefined for a path as it should be.
 */
export const otherSpelling = (url: string): Response | undefined => {
  const path = pathOf(url)
  const redirect = (location: string): Response => new Response(null, { status: 308, headers: { location } })
  if (SLASHES.test(path)) return redirect('/')
  const [, name] = WITH_SLASH.exec(path) ?? []
  // Relative: a proxy may have taken a prefix away.
  return name === undefined ? undefined : redirect(`../${name}${URL.parse(url)?.search ?? ''}`)
}
