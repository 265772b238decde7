import { formatInteger } from '../format/quantity.ts'
import { useValue } from '../hooks/useValue.ts'
import { feed, type Feed, head } from '../rpc/heads.ts'

const TEXTS: Readonly<Record<Feed, string>> = {
  starting: 'connecting',
  live: 'live, over WebSocket',
  polling: 'polls every second',
  offline: 'the node does not answer',
  refused: 'eth_blockNumber is not served or not permitted',
}

/** The latest block, and how the page learns of new ones. */
export const HeadState = () => {
  const number = useValue(head)
  const state = useValue(feed)
  return (
    <a
      class={`head ${state}`}
      href={number === undefined ? '/explorer' : `/block/${number}`}
      title={TEXTS[state]}
    >
      <span class="dot" aria-hidden="true" />
      <span class="sr">Latest block, {TEXTS[state]}: </span>
      {number === undefined ? '–' : formatInteger(number)}
    </a>
  )
}
