import { toHex, toQuantity } from '../../../../core/bytes/hex.ts'
import { blobBaseFeeAt, excessBlobGasAfter } from '../../../../core/chain/fees/blobFee.ts'
import { feeHistory } from '../../fees/feeHistory.ts'
import { type Method, method } from '../../method.ts'
import { nextHeadOf } from '../../fees/nextHead.ts'
import { required } from '../../parameters/values.ts'
import { syncingShape } from '../../shapes/node.ts'

/** eth/69 (EIP-7642): its encodings of blocks, transactions and receipts are those of this node; Besu's highest version. */
const ETH_PROTOCOL_VERSION = 69

/** The node, its chain, and gas prices. */
export const ETH_NODE_METHODS: readonly Method[] = [
  method({
    name: 'eth_accounts',
    summary: 'Returns the unlocked accounts of a development chain; elsewhere the node holds no account keys',
    params: {},
    result: 'Addresses',
    handle: (_, { development }) => (development?.accounts ?? []).map(toHex),
  }),
  method({
    name: 'eth_blockNumber',
    summary: 'Returns the number of the head block',
    params: {},
    result: 'Quantity',
    handle: (_, { chain }) => toQuantity(chain.head().header.number),
  }),
  method({
    name: 'eth_chainId',
    summary: 'Returns the chain id',
    params: {},
    result: 'Quantity',
    handle: (_, { chain }) => toQuantity(chain.configuration.chainId),
  }),
  method({
    name: 'eth_protocolVersion',
    summary: 'Returns the version of the eth protocol',
    params: {},
    result: 'Quantity',
    handle: () => toQuantity(ETH_PROTOCOL_VERSION),
  }),
  method({
    name: 'eth_syncing',
    summary: 'Returns the sync progress, or false when the node is in sync',
    params: {},
    result: 'Syncing',
    handle: (_, { syncing }) => syncingShape(syncing()),
  }),
  method({
    name: 'eth_coinbase',
    summary: 'Returns the account under which the node produces blocks',
    params: {},
    result: 'Address',
    handle: (_, { miner, coinbase }) =>
      toHex(required(miner?.settings().coinbase ?? coinbase, 'COINBASE_NOT_SPECIFIED')),
  }),
  method({
    name: 'eth_mining',
    summary: 'Returns whether the node takes part in producing blocks',
    params: {},
    result: 'Boolean',
    handle: (_, { mining }) => mining(),
  }),
  method({
    name: 'eth_gasPrice',
    summary: 'Returns a suggested gas price, in wei',
    params: {},
    result: 'Quantity',
    handle: async (_, { gasPrice }) => toQuantity(await gasPrice.gasPrice()),
  }),
  method({
    name: 'eth_maxPriorityFeePerGas',
    summary: 'Returns a suggested priority fee, in wei',
    params: {},
    result: 'Quantity',
    handle: async (_, { gasPrice }) => toQuantity(await gasPrice.priorityFee()),
  }),
  method({
    name: 'eth_blobBaseFee',
    summary: 'Returns the blob base fee of the next block, in wei',
    params: {},
    result: 'Quantity',
    handle: (_, context) => {
      const { chain } = context
      const { rules } = nextHeadOf(context)
      const excess =
        rules.blob === undefined ? 0n : excessBlobGasAfter(rules, rules.blob, chain.head().header)
      return toQuantity(blobBaseFeeAt(chain.configuration, rules, excess) ?? 0n)
    },
  }),
  method({
    name: 'eth_feeHistory',
    summary: 'Returns base fees, gas use and rewards of a range of blocks',
    params: {
      blockCount: 'BlockCount',
      newestBlock: 'BlockNumberOrTag',
      'rewardPercentiles?': 'Percentiles',
    },
    result: 'Object',
    handle: feeHistory,
  }),
]
