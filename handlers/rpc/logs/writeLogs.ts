import { toHex, toQuantity } from '../../../core/bytes/hex.ts'
import type { Log } from '../../../core/block/receipt.ts'
import type { BlockLogs } from '../../../core/store/logs/blockLogs.ts'
import type { JsonPieces, KeepBytes } from '../json/jsonPieces.ts'
import { createAsciiBuffer, createJsonWriter } from '../json/jsonWriter.ts'

/** Writes an array of logs in the form of `foundLogShape`. */
export type LogsWriter = {
  readonly add: (log: Log, block: BlockLogs, transactionIndex: number, logIndex: number) => void
  finish(): JsonPieces
}

/**
 * Writes the JSON of logs as bytes: strings for a hundred thousand logs would leave hundreds of megabytes of garbage. The
 * parts that all logs of a transaction have in common are built once.
 */
export const createLogsWriter = (keep: KeepBytes | undefined): LogsWriter => {
  const json = createJsonWriter(keep)
  const one = createAsciiBuffer()
  const common = createAsciiBuffer()
  let commonBlock: BlockLogs | undefined
  let commonIndex = -1
  let isEmpty = true

  const setCommon = (block: BlockLogs, index: number): void => {
    commonBlock = block
    commonIndex = index
    common.length = 0
    common.ascii(
      `","removed":false,"blockNumber":"${toQuantity(block.number)}","blockHash":"${toHex(block.hash)}`,
    )
    common.ascii(`","blockTimestamp":"${toQuantity(block.timestamp)}","transactionHash":"`)
    common.ascii(
      `${toHex(block.transactionHash(index))}","transactionIndex":"${toQuantity(index)}","address":"0x`,
    )
  }

  return {
    add: ({ address, data, topics }, block, transactionIndex, logIndex) => {
      if (block !== commonBlock || transactionIndex !== commonIndex) setCommon(block, transactionIndex)
      one.length = 0
      one.ascii(isEmpty ? '[{"logIndex":"' : ',{"logIndex":"')
      isEmpty = false
      one.ascii(toQuantity(logIndex))
      one.append(common.bytes, common.length)
      one.hex(address)
      one.ascii('","data":"0x')
      one.hex(data)
      one.ascii('","topics":[')
      let before = '"0x'
      for (const topic of topics) {
        one.ascii(before)
        one.hex(topic)
        before = '","0x'
      }
      one.ascii(topics.length === 0 ? ']}' : '"]}')
      json.append(one)
    },
    finish: () => {
      json.ascii(isEmpty ? '[]' : ']')
      return json.finish()
    },
  }
}
