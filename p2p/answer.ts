import type { Stream } from '@libp2p/interface'
import { NetworkError, textOf } from './error.ts'
import { type Link, nameOf } from './link.ts'
import type { NetworkLog } from './network.ts'
import type { TokenBucket } from './tokenBucket.ts'

/** Answers one request of a peer on its stream. `requests` bounds how many it may send; by default the general ones. */
export type Answer = (
  stream: Stream,
  link: Link,
  respond: () => Promise<void>,
  requests?: TokenBucket,
) => void

/**
 * Answers requests once the statuses are exchanged. A failed answer is the loss of the peer, and only logged.
 * @param onFlooding called when a peer sends more requests than it may
 */
export const createAnswer =
  (log: NetworkLog, onFlooding: (link: Link) => void): Answer =>
  (stream, link, respond, requests = link.requests) => {
    const respondWhenReady = async (): Promise<void> => {
      if (!(await link.ready)) throw new NetworkError('NOT_CONNECTED', 'no status was told')
      if (requests.take(1) > 0) {
        onFlooding(link)
        throw new NetworkError('BAD_MESSAGE', 'too many requests')
      }
      await respond()
    }
    respondWhenReady().catch(cause => {
      log.debug('{peer} got no answer: {reason}', { peer: nameOf(link), reason: textOf(cause) })
      stream.abort(cause instanceof Error ? cause : new Error(textOf(cause)))
    })
  }
