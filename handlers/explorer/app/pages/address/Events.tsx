import { searchLogs } from '../../chain/searchLogs.ts'
import { formatInteger } from '../../format/quantity.ts'
import { useLoaded } from '../../hooks/useLoaded.ts'
import { useValue } from '../../hooks/useValue.ts'
import { Logs } from '../../parts/Logs.tsx'
import { Notice, Panel, Ready } from '../../parts/Panel.tsx'
import { head } from '../../rpc/heads.ts'
import type { Hex } from '../../rpc/types.ts'

const WANTED = 25

/** The latest events of a contract. */
export const Events = ({ address }: { readonly address: Hex }) => {
  const number = useValue(head)
  const loaded = useLoaded(
    `events ${address}`,
    async () =>
      number === undefined
        ? new Promise<never>(() => undefined)
        : await searchLogs([{ address }], number, WANTED),
    [number],
  )
  return (
    <Panel title="Events">
      <Ready of={loaded} method="eth_getLogs">
        {({ logs, from }) => (
          <>
            <Notice>
              The latest {WANTED}, searched from block {formatInteger(from)} on.
            </Notice>
            <Logs logs={logs} empty="There are none." withTransaction />
          </>
        )}
      </Ready>
    </Panel>
  )
}
