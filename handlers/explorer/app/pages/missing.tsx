import { Notice, Panel } from '../parts/Panel.tsx'

export const MissingPage = () => (
  <>
    <h1>No such page</h1>
    <Panel title="What the explorer has">
      <Notice>
        Pages are at /block, /tx, /address and /token, and below /explorer. Search by hash, number or address
        at the top.
      </Notice>
    </Panel>
  </>
)
