import { searchLogs, type LogFilter } from '../../chain/searchLogs.ts'
import { transfersWith } from '../../chain/transferFilters.ts'
import { transfersOf } from '../../chain/transfers.ts'
import { formatInteger } from '../../format/quantity.ts'
import { useLoaded } from '../../hooks/useLoaded.ts'
import { useValue } from '../../hooks/useValue.ts'
import { Notice, Panel, Ready } from '../../parts/Panel.tsx'
import { TransferTable } from '../../parts/TransferTable.tsx'
import { head } from '../../rpc/heads.ts'
import type { Hex } from '../../rpc/types.ts'

const WANTED = 50

type Props = { readonly subject: string; readonly filters: readonly LogFilter[] }

/** The latest transfers that match the filters. */
export const LatestTransfers = ({ subject, filters }: Props) => {
  const number = useValue(head)
  const loaded = useLoaded(
    `transfers ${subject}`,
    async () =>
      number === undefined ? new Promise<never>(() => undefined) : await searchLogs(filters, number, WANTED),
    [number],
  )
  return (
    <Panel title="Token transfers">
      <Ready of={loaded} method="eth_getLogs">
        {({ logs, from }) => (
          <>
            {from > 0n && (
              <Notice>
                {logs.length < WANTED ? 'Searched' : `The latest ${WANTED}`}, from block {formatInteger(from)}{' '}
                on.
              </Notice>
            )}
            <TransferTable transfers={transfersOf(logs)} empty="There are none." withPlace />
          </>
        )}
      </Ready>
    </Panel>
  )
}

export const AccountTransfers = ({ address }: { readonly address: Hex }) => (
  <LatestTransfers subject={address} filters={transfersWith(address)} />
)
