import { toBareHex, toHex } from '../../../../core/bytes/hex.ts'
import { piecesOf } from '../../../../p2p/blocks/records.ts'
import { NetworkError } from '../../../../p2p/error.ts'
import type { Misbehaviour, Network, NetworkHandlers, Peer } from '../../../../p2p/network.ts'
import type { Key } from '../../../core/chain/support/keys.ts'

export type WireHandlers = Omit<NetworkHandlers, 'onConsensusMessage' | 'roleOf'>

export type Report = { readonly address: string; readonly what: Misbehaviour; readonly detail: string }

/** A network in one process without sockets. Messages arrive in a later turn of the event loop. */
export type Wire = {
  join(key: Key, handlers: WireHandlers): Joined
  connect(a: Joined, b: Joined): void
  disconnect(a: Joined, b: Joined): void
}

export type Joined = Network & {
  readonly key: Key
  readonly handlers: WireHandlers
  readonly reports: readonly Report[]
  /** Ranges that were requested from it. */
  readonly asked: readonly { readonly from: bigint; readonly count: number }[]
  /** Ranges of records that were requested from it. */
  readonly askedRecords: readonly { readonly from: bigint; readonly count: number }[]
}

type Member = Joined & {
  readonly links: Map<string, Peer>
  readonly asked: { from: bigint; count: number }[]
  readonly askedRecords: { from: bigint; count: number }[]
}

export const createWire = (nowMs: () => number): Wire => {
  const members = new Map<string, Member>()
  const nameOf = ({ key }: { readonly key: Key }): string => toBareHex(key.address)
  const later = (deliver: () => void): void => void setImmediate(deliver)

  const peerOf = (member: Member): Peer => ({
    address: member.key.address,
    publicKey: new Uint8Array(64),
    enode: `enode://${nameOf(member)}@wire:1`,
    remoteAddress: 'wire:1',
    inbound: false,
    status: member.handlers.status(),
    connectedAtMs: nowMs(),
  })

  const eachPeer = (of: Member, deliver: (to: Member, from: Peer) => void): void => {
    for (const name of of.links.keys()) {
      const to = members.get(name) as Member
      later(() => {
        const from = to.links.get(nameOf(of))
        if (from !== undefined) deliver(to, from)
      })
    }
  }

  const join = (key: Key, handlers: WireHandlers): Joined => {
    const reports: Report[] = []
    const gathered: Uint8Array[] = []
    let telling = false
    const asked: { from: bigint; count: number }[] = []
    const askedRecords: { from: bigint; count: number }[] = []
    const links = new Map<string, Peer>()
    const member: Member = {
      key,
      handlers,
      reports,
      asked,
      askedRecords,
      links,
      enode: `enode://${toBareHex(key.address)}@wire:1`,
      port: 1,
      peers: () => [...links.values()],
      sendConsensus: () => 0,
      announceTransactions: transactions => {
        if (gathered.length === 0)
          later(() => {
            const batch = gathered.splice(0)
            eachPeer(member, (to, from) => void to.handlers.onTransactions(from, batch))
          })
        gathered.push(...transactions)
      },
      announceBlock: (_number, _hash, block) =>
        eachPeer(member, (to, from) => to.handlers.onNewBlock(from, block)),
      sendStatus: () => {
        if (telling) return
        telling = true
        later(() => {
          telling = false
          eachPeer(member, to => {
            const peer = peerOf(member)
            to.links.set(nameOf(member), peer)
            to.handlers.onStatus(peer)
          })
        })
      },
      requestPoolHashes: peer => (members.get(toBareHex(peer.address)) as Member).handlers.poolHashes(),
      requestPoolTransactions: (peer, hashes) =>
        (members.get(toBareHex(peer.address)) as Member).handlers.poolTransactions(hashes),
      async *requestRecords(peer, from, count) {
        const to = members.get(toBareHex(peer.address)) as Member
        to.askedRecords.push({ from, count })
        for await (const record of to.handlers.records(from, count)) {
          if (!links.has(nameOf(to))) throw new NetworkError('NOT_CONNECTED', 'the peer is gone')
          yield* piecesOf(record)
        }
      },
      async *requestBlocks(peer, from, count, signal) {
        const to = members.get(toBareHex(peer.address)) as Member
        to.asked.push({ from, count })
        const over = new Promise<undefined>(resolve => {
          signal.addEventListener('abort', () => resolve(undefined))
        })
        const blocks = to.handlers.blocks(from, count)[Symbol.asyncIterator]()
        for (;;) {
          const next = await Promise.race([blocks.next(), over])
          if (next === undefined || next.done === true) return
          if (!links.has(nameOf(to))) throw new NetworkError('NOT_CONNECTED', 'the peer is gone')
          yield next.value
        }
      },
      reportMisbehaviour: (address, what, detail) =>
        void reports.push({ address: toHex(address), what, detail }),
      addPeer: async () => false,
      removePeer: async () => false,
      stop: async () => {
        for (const name of links.keys()) disconnect(member, members.get(name) as Member)
      },
    }
    members.set(nameOf(member), member)
    return member
  }

  const connect = (a: Joined, b: Joined): void => {
    for (const [one, other] of [
      [a, b],
      [b, a],
    ] as [Member, Member][]) {
      const peer = peerOf(other)
      one.links.set(nameOf(other), peer)
      later(() => one.handlers.onPeer(peer))
      one.sendStatus()
    }
  }

  const disconnect = (a: Joined, b: Joined): void => {
    for (const [one, other] of [
      [a, b],
      [b, a],
    ] as [Member, Member][]) {
      const peer = one.links.get(nameOf(other))
      if (peer === undefined) continue
      one.links.delete(nameOf(other))
      later(() => one.handlers.onPeerDisconnected(peer, 'parted'))
    }
  }

  return { join, connect, disconnect }
}
