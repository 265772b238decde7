import { decodeStandardLog } from '../abi/decode.ts'
import type { Hex, RpcLog } from '../rpc/types.ts'

/** One transfer of a token. */
export type Transfer = {
  readonly token: Hex
  readonly kind: 'ERC-20' | 'ERC-721' | 'ERC-1155'
  readonly from: Hex
  readonly to: Hex
  /** In the smallest unit; undefined for a token of its own (ERC-721). */
  readonly amount: bigint | undefined
  readonly id: bigint | undefined
  readonly log: RpcLog
  /** Place among the transfers of this log. */
  readonly index: number
}

/** Values of `TransferBatch`, one transfer each. */
const batchOf = (log: RpcLog, values: readonly unknown[]): readonly Transfer[] => {
  const [, from, to, ids, amounts] = values as readonly [Hex, Hex, Hex, readonly bigint[], readonly bigint[]]
  return ids.map((id, index) => ({
    token: log.address,
    kind: 'ERC-1155',
    from,
    to,
    id,
    amount: amounts[index],
    log,
    index,
  }))
}

const transfersOfLog = (log: RpcLog): readonly Transfer[] => {
  const decoded = decodeStandardLog(log)
  if (decoded === undefined) return []
  const { name, values } = decoded
  const token = log.address
  if (name === 'Transfer' && values.length === 3) {
    const [from, to, number] = values as readonly [Hex, Hex, bigint]
    return log.topics.length === 4
      ? [{ token, kind: 'ERC-721', from, to, id: number, amount: undefined, log, index: 0 }]
      : [{ token, kind: 'ERC-20', from, to, id: undefined, amount: number, log, index: 0 }]
  }
  if (name === 'TransferSingle' && values.length === 5) {
    const [, from, to, id, amount] = values as readonly [Hex, Hex, Hex, bigint, bigint]
    return [{ token, kind: 'ERC-1155', from, to, id, amount, log, index: 0 }]
  }
  return name === 'TransferBatch' && values.length === 5 ? batchOf(log, values) : []
}

/** The token transfers in the logs, in order. */
export const transfersOf = (logs: readonly RpcLog[]): readonly Transfer[] => logs.flatMap(transfersOfLog)
