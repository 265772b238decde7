/** Bytes or a quantity in hex, with 0x. */
export type Hex = `0x${string}`

export type RpcBlock<T = Hex> = {
  readonly number: Hex
  readonly hash: Hex
  readonly parentHash: Hex
  readonly mixHash: Hex
  readonly nonce: Hex
  readonly sha3Uncles: Hex
  readonly logsBloom: Hex
  readonly transactionsRoot: Hex
  readonly stateRoot: Hex
  readonly receiptsRoot: Hex
  readonly miner: Hex
  readonly difficulty: Hex
  readonly extraData: Hex
  readonly baseFeePerGas?: Hex
  readonly size: Hex
  readonly gasLimit: Hex
  readonly gasUsed: Hex
  readonly timestamp: Hex
  readonly transactions: readonly T[]
  readonly withdrawalsRoot?: Hex
  readonly requestsHash?: Hex
  readonly blobGasUsed?: Hex
  readonly excessBlobGas?: Hex
  readonly parentBeaconBlockRoot?: Hex
}

export type RpcTransaction = {
  readonly hash: Hex
  readonly blockNumber: Hex | null
  readonly blockTimestamp?: Hex
  readonly transactionIndex: Hex | null
  readonly from: Hex
  readonly to: Hex | null
  readonly value: Hex
  readonly nonce: Hex
  readonly gas: Hex
  readonly gasPrice: Hex
  readonly maxFeePerGas?: Hex
  readonly maxPriorityFeePerGas?: Hex
  readonly input: Hex
  readonly type: Hex
}

export type RpcLog = {
  readonly address: Hex
  readonly topics: readonly Hex[]
  readonly data: Hex
  readonly blockNumber: Hex
  readonly transactionHash: Hex
  readonly logIndex: Hex
  readonly blockTimestamp?: Hex
}

export type RpcReceipt = {
  readonly transactionHash: Hex
  readonly status?: Hex
  readonly gasUsed: Hex
  readonly cumulativeGasUsed: Hex
  readonly effectiveGasPrice: Hex
  readonly contractAddress: Hex | null
  readonly logs: readonly RpcLog[]
  readonly revertReason?: Hex
}

/** One call of the callTracer. */
export type RpcCallFrame = {
  readonly type: string
  readonly from: Hex
  readonly to?: Hex
  readonly value?: Hex
  readonly gas: Hex
  readonly gasUsed: Hex
  readonly input: Hex
  readonly output?: Hex
  readonly error?: string
  readonly revertReason?: string
  readonly calls?: readonly RpcCallFrame[]
}

/** One account of the prestateTracer; in `post` of the diff mode with changed members only. */
export type RpcAccountState = {
  readonly balance?: Hex
  readonly nonce?: number
  readonly code?: Hex
  readonly storage?: Readonly<Record<Hex, Hex>>
}

export type RpcStateDiff = {
  readonly pre: Readonly<Record<Hex, RpcAccountState>>
  readonly post: Readonly<Record<Hex, RpcAccountState>>
}

export type RpcValidator = {
  readonly address: Hex
  readonly self: boolean
  readonly connected: boolean
  readonly heard: boolean
  readonly lastSeen: Hex | null
  readonly remoteAddress: string | null
  readonly client: string | null
  readonly clockOffsetMs: number | null
  readonly trouble: string | null
  readonly differences: readonly string[]
  readonly proposedBlocks: number
  readonly missedProposals: number
  readonly missedSeals: number
}

/** The answer of qbft_getStatus. */
export type RpcStatus = {
  readonly status: 'well' | 'troubled' | 'stalled'
  readonly kind: string | null
  readonly explanation: string | null
  readonly causes: readonly { readonly kind: string; readonly explanation: string }[]
  readonly address: Hex
  readonly client: string
  readonly isValidator: boolean
  readonly blockNumber: Hex
  readonly round: number | null
  readonly nextAttemptMs: number | null
  readonly quorum: number
  readonly heard: number
  readonly blocksCounted: number
  readonly validators: readonly RpcValidator[]
  readonly votes: readonly { readonly voter: Hex; readonly recipient: Hex; readonly add: boolean }[]
  readonly transitions: readonly {
    readonly block?: Hex
    readonly timestamp?: Hex
    readonly changes: Readonly<Record<string, string>>
  }[]
}

export type RpcPeer = {
  readonly name: string
  readonly enode: string
  readonly id: string
  readonly caps: readonly string[]
  readonly network: {
    readonly localAddress: string
    readonly remoteAddress: string
    readonly inbound: boolean
  }
  readonly protocols: { readonly eth?: { readonly head?: Hex; readonly difficulty?: Hex } }
}
