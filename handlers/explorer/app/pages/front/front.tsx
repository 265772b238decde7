import { useRecentBlocks } from '../../hooks/useRecentBlocks.ts'
import { Boundary } from '../../parts/Boundary.tsx'
import { BlockTable } from '../../parts/BlockTable.tsx'
import { Panel, Ready } from '../../parts/Panel.tsx'
import { Charts } from './Charts.tsx'
import { LatestTransactions } from './LatestTransactions.tsx'
import { Tiles } from './Tiles.tsx'

/** Blocks of the charts; the first ones of them are listed. */
const BLOCKS = 100
const LISTED = 12

/** The latest blocks and transactions, charts and key figures. */
export const HomePage = () => {
  const loaded = useRecentBlocks(BLOCKS)
  const blocks = loaded.value ?? []
  return (
    <>
      <h1 class="sr">The chain now</h1>
      <Boundary>
        <Tiles blocks={blocks} />
      </Boundary>
      <Boundary>
        <Charts blocks={blocks} />
      </Boundary>
      <Panel title="Latest blocks" aside={<a href="/explorer/blocks">All blocks</a>}>
        <Ready of={loaded} method={loaded.method}>
          {value => <BlockTable blocks={value.slice(0, LISTED)} />}
        </Ready>
      </Panel>
      <Panel title="Latest transactions">
        <Ready of={loaded} method={loaded.method}>
          {value => <LatestTransactions blocks={value} />}
        </Ready>
      </Panel>
    </>
  )
}
