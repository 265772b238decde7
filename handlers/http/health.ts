const answer = (status: 200 | 503, word: 'UP' | 'DOWN'): Response =>
  new Response(`{\n  "status" : "${word}"\n}`, { status, headers: { 'content-type': 'application/json' } })

/** The process answers, so it lives. */
export const liveness = (): Response => answer(200, 'UP')

/** Besu asks for one peer unless told otherwise. */
const PEERS_MIN = 1

const numberParameter = (value: string | undefined, fallback: number): number =>
  value === undefined ? fallback : /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN

/**
 * Besu's `/readiness?minPeers=N&maxBlocksBehind=M`: peers are counted where the node connects to others. A parameter
 * that is no number makes it DOWN.
 * @param peerCount undefined where the node connects to no others.
 */
export const readiness = (
  query: { readonly minPeers: string | undefined; readonly maxBlocksBehind: string | undefined },
  peerCount: number | undefined,
): Response => {
  const peersMin = numberParameter(query.minPeers, PEERS_MIN)
  const behindMax = numberParameter(query.maxBlocksBehind, 0)
  const ready =
    !Number.isNaN(peersMin) && !Number.isNaN(behindMax) && (peerCount === undefined || peerCount >= peersMin)
  return ready ? answer(200, 'UP') : answer(503, 'DOWN')
}
