import { toHex } from '../../core/bytes/hex.ts'

/** A text that is served with a strong ETag, compressed once. */
export type Asset = {
  /** With the hash of the text, so that it may be cached for ever. */
  readonly path: string
  answer(request: Request, headers: Readonly<Record<string, string>>): Response
}

const CONTENT_TYPES = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
} as const

const HASH_LENGTH = 16

const hashOf = async (bytes: Uint8Array<ArrayBuffer>): Promise<string> => {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
  return toHex(digest).slice(2, 2 + HASH_LENGTH)
}

const compress = (bytes: Uint8Array<ArrayBuffer>): Promise<ArrayBuffer> =>
  new Response(new Blob([bytes]).stream().pipeThrough(new CompressionStream('gzip'))).arrayBuffer()

const acceptsGzip = (request: Request): boolean =>
  /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i.test(request.headers.get('accept-encoding') ?? '')

/** True when the client has this version. A proxy that compressed it may have marked the tag as weak. */
const hasVersion = (request: Request, tag: string): boolean =>
  (request.headers.get('if-none-match') ?? '')
    .split(',')
    .some(candidate => candidate.trim().replace(/^W\//, '') === tag)

/** @param name the path without its hash and extension */
export const createAsset = async (
  name: string,
  kind: keyof typeof CONTENT_TYPES,
  text: string,
): Promise<Asset> => {
  const bytes = new TextEncoder().encode(text)
  const hash = await hashOf(bytes)
  const compressed = await compress(bytes)
  return {
    path: `${name}-${hash}.${kind}`,
    answer: (request, given) => {
      const isCompressed = acceptsGzip(request)
      const tag = isCompressed ? `"${hash}-gzip"` : `"${hash}"`
      const headers = { ...given, etag: tag, vary: 'accept-encoding', 'x-content-type-options': 'nosniff' }
      if (hasVersion(request, tag)) return new Response(null, { status: 304, headers })
      return new Response(request.method === 'HEAD' ? null : isCompressed ? compressed : bytes, {
        headers: {
          ...headers,
          'content-type': CONTENT_TYPES[kind],
          ...(isCompressed ? { 'content-encoding': 'gzip' } : {}),
        },
      })
    },
  }
}
