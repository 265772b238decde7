import { toHex, toQuantity } from '../../../core/bytes/hex.ts'
import { blobBaseFeeAt, excessBlobGasAfter } from '../../../core/chain/blobFee.ts'
import { feeHistory } from '../fees/feeHistory.ts'
import { type Method, method } from './method.ts'
import { nextHeadOf } from '../fees/nextHead.ts'
import { required } from '../parameters/values.ts'
import { syncingShape } from '../shapes/node.ts'

/** eth/69 (EIP-7642): whose blocks, transactions and receipts this node exchanges; the highest that Besu supports. */
const ETH_PROTOCOL_VERSION = 69

/** What the node and its chain are, and what gas costs. */
export const ETH_NODE_METHODS: readonly Method[] = [
  method('eth_accounts', [], () => []),
  method('eth_blockNumber', [], (_, { chain }) => toQuantity(chain.head().header.number)),
  method('eth_chainId', [], (_, { chain }) => toQuantity(chain.configuration.chainId)),
  method('eth_protocolVersion', [], () => toQuantity(ETH_PROTOCOL_VERSION)),
  method('eth_syncing', [], (_, { syncing }) => syncingShape(syncing())),
  method('eth_coinbase', [], (_, { coinbase }) => toHex(required(coinbase, 'COINBASE_NOT_SPECIFIED'))),
  method('eth_mining', [], (_, { mining }) => mining()),
  method('eth_gasPrice', [], async (_, { gasPrice }) => toQuantity(await gasPrice.gasPrice())),
  method('eth_maxPriorityFeePerGas', [], async (_, { gasPrice }) => toQuantity(await gasPrice.priorityFee())),
  method('eth_blobBaseFee', [], (_, context) => {
    const { chain } = context
    const { rules } = nextHeadOf(context)
    const excess = rules.blob === undefined ? 0n : excessBlobGasAfter(rules, rules.blob, chain.head().header)
    return toQuantity(blobBaseFeeAt(chain.configuration, rules, excess) ?? 0n)
  }),
  method('eth_feeHistory', ['blockCount', 'newestBlock', 'rewardPercentiles?'], feeHistory),
]
