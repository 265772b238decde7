import type { Cluster } from '../cluster/support/cluster.ts'
import { encodedTransfer, KNOWN } from './transfers.ts'

export type Load = {
  /** Hashes that a node has answered with. */
  readonly accepted: readonly string[]
  /** Ends sending. */
  stop(): Promise<void>
  /** The accepted transactions that no node that runs has mined. */
  missing(): Promise<readonly string[]>
}

const SEND_RETRY_MS = 50

/** Sends transfers from each of the accounts, each to a node of its turn, `intervalMs` apart, whatever becomes of the nodes. */
export const startLoad = (
  cluster: Cluster,
  { accounts, intervalMs }: { readonly accounts: readonly number[]; readonly intervalMs: number },
): Load => {
  const accepted: string[] = []
  const mined = new Set<string>()
  const ending = new AbortController()

  const sendFrom = async (account: number): Promise<void> => {
    let nonce = 0
    for (let attempt = account; !ending.signal.aborted; attempt++) {
      const running = cluster.running()
      const index = running[attempt % running.length]
      try {
        if (index === undefined) throw new Error('no node runs')
        const hash = await cluster
          .node(index)
          .rpc<string>('eth_sendRawTransaction', encodedTransfer(nonce, account))
        accepted.push(hash)
        nonce++
        await Bun.sleep(intervalMs)
      } catch (error) {
        // A node that ended before it answered may have passed it on.
        if (KNOWN.test(String(error))) nonce++
        await Bun.sleep(SEND_RETRY_MS)
      }
    }
  }
  const sending = Promise.all(accounts.map(sendFrom))

  return {
    accepted,
    stop: async () => {
      ending.abort()
      await sending
    },
    missing: async () => {
      const [index] = cluster.running()
      if (index === undefined) return accepted
      for (const hash of accepted) {
        if (mined.has(hash)) continue
        const receipt = await cluster.node(index).rpc('eth_getTransactionReceipt', hash)
        if (receipt !== null) mined.add(hash)
      }
      return accepted.filter(hash => !mined.has(hash))
    },
  }
}
