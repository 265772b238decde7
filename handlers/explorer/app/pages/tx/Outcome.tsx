import { decodeError, reasonOf } from '../../abi/decode.ts'
import { abiChanges } from '../../abi/stored.ts'
import { useLoaded } from '../../hooks/useLoaded.ts'
import { useValue } from '../../hooks/useValue.ts'
import { Bytes } from '../../parts/Bytes.tsx'
import { ChainText, NodeText } from '../../parts/ChainText.tsx'
import { Values } from '../../parts/Values.tsx'
import { call } from '../../rpc/client.ts'
import { head } from '../../rpc/heads.ts'
import type { Hex, RpcCallFrame } from '../../rpc/types.ts'
import type { Mined } from './transaction.tsx'

/** An error that a contract returned: its sentence, or its name and values. */
export const Reason = ({ address, data }: { readonly address: Hex | null; readonly data: Hex }) => {
  useValue(abiChanges)
  const decoded = decodeError(address, data)
  if (decoded === undefined) return data === '0x' ? <>without a reason</> : <Bytes hex={data} />
  const reason = reasonOf(decoded)
  if (reason !== undefined) return <ChainText text={reason} />
  return (
    <>
      <ChainText text={decoded.name} />
      <Values parameters={decoded.parameters} values={decoded.values} />
    </>
  )
}

/** Why the transaction failed: from the receipt, or else from a trace of the outermost call. */
const readFailure = async ({
  transaction,
  receipt,
}: Mined): Promise<{ readonly data: Hex; readonly error?: string }> => {
  if (receipt?.revertReason !== undefined) return { data: receipt.revertReason }
  const frame = await call<RpcCallFrame>('debug_traceTransaction', transaction.hash, {
    tracer: 'callTracer',
    tracerConfig: { onlyTopCall: true },
  })
  return { data: frame.output ?? '0x', ...(frame.error === undefined ? {} : { error: frame.error }) }
}

const Failure = (mined: Mined) => {
  const { value } = useLoaded(`failure ${mined.transaction.hash}`, () => readFailure(mined))
  return (
    <>
      <span class="badge bad">failed</span>{' '}
      {value !== undefined &&
        (value.data === '0x' && value.error !== undefined ? (
          <ChainText text={value.error} />
        ) : (
          <Reason address={mined.transaction.to} data={value.data} />
        ))}
    </>
  )
}

/** The reason why it is not in a block yet, as the node explains it. */
const Waiting = ({ transaction }: Mined) => {
  const number = useValue(head)
  const { value } = useLoaded(
    `explain ${transaction.hash}`,
    () => call<string | null>('txpool_explain', transaction.hash),
    [number],
  )
  return (
    <>
      <span class="badge warn">waiting</span> <NodeText text={value ?? ''} />
    </>
  )
}

export const Outcome = (mined: Mined) => {
  if (mined.receipt === null) return <Waiting {...mined} />
  return mined.receipt.status === '0x0' ? <Failure {...mined} /> : <span class="badge good">succeeded</span>
}
