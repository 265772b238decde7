import { pad, toEventSelector } from 'viem/utils'
import type { Hex } from '../rpc/types.ts'
import type { LogFilter } from './searchLogs.ts'

const TRANSFER = toEventSelector('Transfer(address,address,uint256)')
const TRANSFER_SINGLE = toEventSelector('TransferSingle(address,address,address,uint256,uint256)')
const TRANSFER_BATCH = toEventSelector('TransferBatch(address,address,address,uint256[],uint256[])')

const MULTIPLE = [TRANSFER_SINGLE, TRANSFER_BATCH]

/** Transfers of all tokens from and to an account. */
export const transfersWith = (account: Hex): readonly LogFilter[] => {
  const topic = pad(account.toLowerCase() as Hex, { size: 32 })
  return [
    { topics: [TRANSFER, topic] },
    { topics: [TRANSFER, null, topic] },
    { topics: [MULTIPLE, null, topic] },
    { topics: [MULTIPLE, null, null, topic] },
  ]
}

/** All transfers of a token. */
export const transfersOfToken = (address: Hex): readonly LogFilter[] => [
  { address, topics: [[TRANSFER, ...MULTIPLE]] },
]
