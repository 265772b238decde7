/** Signature algorithms of tokens, by their names in RFC 7518. */
export const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'ES256', 'ES384', 'ES512'] as const

export type Algorithm = (typeof ALGORITHMS)[number]
