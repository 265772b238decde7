import { toHex, toQuantity } from '../../../../core/bytes/hex.ts'
import { rulesAt } from '../../../../core/genesis/forkSchedule.ts'
import type { RpcContext } from '../../context.ts'
import { developmentOf } from '../../development/signing.ts'
import { nextHeadOf } from '../../fees/nextHead.ts'
import { flagOf, given, required } from '../../parameters/values.ts'
import { type Call, developmentMethod, developmentSetter, type Method } from '../../method.ts'

const metadata = (_: Call, { chain, options, development }: RpcContext): object => {
  const fork = development?.fork()
  const { header, hash } = chain.head()
  return {
    clientVersion: options.clientVersion,
    chainId: Number(chain.configuration.chainId),
    instanceId: toHex(chain.genesis.hash),
    latestBlockNumber: Number(header.number),
    latestBlockHash: toHex(hash),
    snapshots: Object.fromEntries(
      (development?.snapshots() ?? []).map(snapshot => [
        toQuantity(snapshot.id),
        [Number(snapshot.number), toHex(snapshot.hash)],
      ]),
    ),
    ...(fork === undefined
      ? {}
      : {
          forkedNetwork: {
            chainId: fork.chainId,
            forkBlockNumber: fork.number,
            forkBlockHash: toHex(fork.hash),
          },
        }),
  }
}

/** In the shape of anvil. */
const nodeInfo = async (_: Call, context: RpcContext): Promise<object> => {
  const { chain, gasPrice, development } = context
  const fork = development?.fork()
  const { header, hash } = chain.head()
  const { fork: hardFork } = rulesAt(chain.configuration, header.number, header.timestamp, header.difficulty)
  return {
    currentBlockNumber: toQuantity(header.number),
    currentBlockTimestamp: Number(header.timestamp),
    currentBlockHash: toHex(hash),
    hardFork,
    transactionOrder: 'fees',
    environment: {
      baseFee: toQuantity(nextHeadOf(context).nextBaseFeePerGas ?? 0n),
      chainId: Number(chain.configuration.chainId),
      gasLimit: toQuantity(header.gasLimit),
      gasPrice: toQuantity(await gasPrice.gasPrice()),
    },
    forkConfig: {
      forkUrl: fork?.url ?? null,
      forkBlockNumber: fork?.number ?? null,
      forkRetryBackoff: null,
    },
  }
}

/** The node of a development chain, as in anvil and Hardhat. */
export const DEV_NODE_METHODS: readonly Method[] = [
  ...developmentMethod(['anvil_metadata', 'hardhat_metadata'], {
    summary: 'Returns the client and the head of the chain',
    params: {},
    result: 'Object',
    handle: metadata,
  }),
  ...developmentMethod(['anvil_nodeInfo'], {
    summary: 'Returns the head, the fork and the fees of the chain',
    params: {},
    result: 'Object',
    handle: nodeInfo,
  }),
  ...developmentSetter(['anvil_setLoggingEnabled', 'hardhat_setLoggingEnabled'], {
    summary: 'Enables or disables the log',
    params: { isOn: 'Flag' },
    apply: ({ params }, context) => {
      const isOn = required(flagOf(given(params, 0)), 'INVALID_PARAMS')
      developmentOf(context).setLogging(isOn)
    },
  }),
]
