import { decodeLog } from '../abi/decode.ts'
import { abiChanges } from '../abi/stored.ts'
import { useValue } from '../hooks/useValue.ts'
import type { RpcLog } from '../rpc/types.ts'
import { Bytes } from './Bytes.tsx'
import { ChainText } from './ChainText.tsx'
import { AddressLink, TransactionLink } from './Links.tsx'
import { Notice } from './Panel.tsx'
import { Values } from './Values.tsx'

/** Events that are drawn: a transaction may have thousands. */
const SHOWN_MAX = 200

const Log = ({ log, withTransaction }: { readonly log: RpcLog; readonly withTransaction: boolean }) => {
  const decoded = decodeLog(log)
  return (
    <li class="log">
      <p>
        <strong>{decoded === undefined ? 'Unknown event' : <ChainText text={decoded.name} />}</strong> of{' '}
        <AddressLink address={log.address} />{' '}
        {withTransaction && (
          <>
            in <TransactionLink hash={log.transactionHash} />
          </>
        )}
      </p>
      {decoded === undefined ? (
        <dl class="values">
          {log.topics.map((topic, index) => (
            <div key={index}>
              <dt>topic {index}</dt>
              <dd>
                <code>{topic}</code>
              </dd>
            </div>
          ))}
          <div>
            <dt>data</dt>
            <dd>
              <Bytes hex={log.data} />
            </dd>
          </div>
        </dl>
      ) : (
        <Values parameters={decoded.parameters} values={decoded.values} />
      )}
    </li>
  )
}

type Props = { readonly logs: readonly RpcLog[]; readonly empty: string; readonly withTransaction?: boolean }

/** Decoded events; topics and data of those that no ABI knows. */
export const Logs = ({ logs, empty, withTransaction = false }: Props) => {
  useValue(abiChanges)
  if (logs.length === 0) return <Notice>{empty}</Notice>
  return (
    <>
      <ol class="logs">
        {logs.slice(0, SHOWN_MAX).map(log => (
          <Log key={`${log.transactionHash}${log.logIndex}`} log={log} withTransaction={withTransaction} />
        ))}
      </ol>
      {logs.length > SHOWN_MAX && (
        <Notice>
          The first {SHOWN_MAX} of {logs.length} events; the raw answer has them all.
        </Notice>
      )}
    </>
  )
}
