import { blocksUpTo } from '../chain/blocks.ts'
import { useLoaded } from '../hooks/useLoaded.ts'
import { useValue } from '../hooks/useValue.ts'
import { BlockTable } from '../parts/BlockTable.tsx'
import { Panel, Ready } from '../parts/Panel.tsx'
import { query } from '../route.ts'
import { head } from '../rpc/heads.ts'

const PAGE_BLOCKS = 25

/** All blocks in pages; the first one moves with the chain. */
export const BlocksPage = () => {
  const number = useValue(head)
  const from = useValue(query).get('from')
  const last = from !== null && /^\d{1,20}$/.test(from) ? BigInt(from) : number
  const loaded = useLoaded(
    `blocks ${from}`,
    async () =>
      last === undefined ? new Promise<never>(() => undefined) : await blocksUpTo(last, PAGE_BLOCKS),
    [last],
  )
  const step = BigInt(PAGE_BLOCKS)
  return (
    <>
      <h1>Blocks</h1>
      <Panel title={from === null ? 'Latest blocks' : `Blocks up to ${last}`}>
        <Ready of={loaded} method="eth_getBlockByNumber">
          {blocks => <BlockTable blocks={blocks} />}
        </Ready>
        {last !== undefined && number !== undefined && (
          <nav class="pages" aria-label="Pages of blocks">
            {last < number ? (
              <a href={last + step >= number ? '/explorer/blocks' : `/explorer/blocks?from=${last + step}`}>
                ← Later
              </a>
            ) : (
              <span />
            )}
            {last >= step && <a href={`/explorer/blocks?from=${last - step}`}>Earlier →</a>}
          </nav>
        )}
      </Panel>
    </>
  )
}
