import type { RpcNetwork } from '../../../handlers/rpc/context.ts'
import type { Graphql } from '../graphql/support/graphqlNode.ts'
import type { Sample } from '../support/sampleChain.ts'
import type { RpcReply, TestNode } from '../support/testNode.ts'

export const ENODE = `enode://${'ab'.repeat(64)}@127.0.0.1:30303`

/** Other nodes, of which there are none. */
export const NETWORK: RpcNetwork = {
  listening: true,
  enode: ENODE,
  capabilities: [],
  peerCount: () => 0,
  peers: () => [],
  addPeer: () => Promise.resolve(true),
  removePeer: () => Promise.resolve(true),
  whenListening: () => Promise.resolve(ENODE),
}

/** What is asked: a chain with contracts, and one of an earlier fork. */
export type World = {
  readonly sample: Sample
  readonly graphql: Graphql
  readonly beforeCancun: TestNode
  readonly rpc: (method: string, ...params: readonly unknown[]) => Promise<RpcReply>
  readonly http: (path: string, init?: RequestInit) => Promise<Response>
}

/** One line of what was seen to differ. */
export type Row = {
  readonly what: string
  readonly ask: (world: World) => Promise<unknown>
  /** What this node answers; Besu's too unless handlers/README.md says what that is. */
  readonly answer: unknown
  /** The beginning of the row of a difference on the page. */
  readonly because?: string
}

export const ADDRESS = `0x${'12'.repeat(20)}`

/** Code and text of an error. */
export const refusal = async (reply: Promise<RpcReply>): Promise<unknown> => {
  const { error } = await reply
  return [error?.code, error?.message]
}
