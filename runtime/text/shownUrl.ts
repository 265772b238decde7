/** A URL inside a text: scheme, login, host and path, query with fragment. Bounded lengths keep the search linear. */
const URL_IN_TEXT =
  /([a-z][a-z0-9+.-]{1,20}:\/\/)([^\s/?#"'`<>]*@)?([^\s?#"'`<>]{0,2048})([?#][^\s"'`<>,)]*)?/gi

/** The user of such a URL is the public key of a node, and its query a port. */
const PUBLIC_SCHEMES: ReadonlySet<string> = new Set(['enode://'])

/** What options of stores hold beside their URL. */
const SECRET_OPTION = /([?&](?:secret|password|secretAccessKey)=)[^&,\s"'`]*/gi

/** A URL for people: scheme and host. User, password, path and query may be secrets. */
export const shownUrl = (url: string | URL): string => {
  const parsed = URL.parse(String(url))
  return parsed === null || parsed.host === '' ? 'the given URL' : `${parsed.protocol}//${parsed.host}`
}

/** A text that may contain URLs, as errors of clients do, without their users, passwords and queries. */
export const hideUrlSecrets = (text: string): string =>
  text
    .replace(URL_IN_TEXT, (whole, scheme: string, login?: string, rest = '', query?: string) =>
      PUBLIC_SCHEMES.has(scheme.toLowerCase())
        ? whole
        : `${scheme}${login === undefined ? '' : '***@'}${rest}${query === undefined ? '' : '?***'}`,
    )
    .replace(SECRET_OPTION, '$1***')
