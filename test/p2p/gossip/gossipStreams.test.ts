import { expect, test } from 'bun:test'
import { createGossipStreams, hasGossipStream } from '../../../p2p/gossip/gossipStreams.ts'
import type { Host } from '../../../p2p/transport/host.ts'
import { withTwoHosts } from '../networks.ts'
import { until } from '../../support/until.ts'

const TOPIC = 'transactions'
const LOG = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }

const withHosts = (run: (one: Host, other: Host) => Promise<void>): Promise<void> =>
  withTwoHosts(TOPIC, async (one, other) => {
    for (const host of [one, other]) host.services.pubsub.subscribe(TOPIC)
    await run(one, other)
  })

test('given two connections with a node, when the one with the gossip streams ends, then gossip resumes over the other, both ways', async () => {
  await withHosts(async (one, other) => {
    // gossipsub itself opens a stream when a connection is identified, so the first one ends after that.
    let identified = 0
    for (const host of [one, other]) host.addEventListener('peer:identify', () => identified++)
    const first = await one.dial(other.getMultiaddrs())
    await until(() => hasGossipStream(one, other.peerId) && hasGossipStream(other, one.peerId))
    await one.dial(other.getMultiaddrs(), { force: true })
    await until(() => other.getConnections(one.peerId).length === 2 && identified === 4)
    await first.close()
    await until(() => !hasGossipStream(one, other.peerId) && !hasGossipStream(other, one.peerId))
    const mended: string[] = []
    const streams = createGossipStreams(one, LOG, () => Date.now())
    const mend = (): void =>
      streams.reopen(one.getConnections(other.peerId), ({ remotePeer }) => {
        mended.push(remotePeer.toString())
      })
    mend()
    // Once is enough, however often it is looked at meanwhile.
    mend()
    await until(() => hasGossipStream(one, other.peerId) && hasGossipStream(other, one.peerId))
    mend()
    expect(mended).toEqual([other.peerId.toString()])
    const heard: Uint8Array[] = []
    for (const host of [one, other])
      host.services.pubsub.addEventListener('gossipsub:message', ({ detail }) => {
        heard.push(detail.msg.data)
      })
    await until(() => [one, other].every(host => host.services.pubsub.getSubscribers(TOPIC).length === 1))
    await one.services.pubsub.publish(TOPIC, new Uint8Array([1]))
    await other.services.pubsub.publish(TOPIC, new Uint8Array([2]))
    await until(() => heard.length === 2)
    expect(new Set(heard.map(([byte]) => byte))).toEqual(new Set([1, 2]))
  })
})

test('given a node that keeps ending its gossip stream, when streams are checked, then it is opened once in some seconds', async () => {
  await withHosts(async (one, other) => {
    await one.dial(other.getMultiaddrs())
    await until(() => hasGossipStream(one, other.peerId))
    let nowMs = 1_000_000
    let asked = 0
    const streams = createGossipStreams(one, LOG, () => nowMs)
    const reset = async (): Promise<void> => {
      for (const { streams } of one.getConnections(other.peerId))
        for (const stream of streams)
          if (stream.protocol.startsWith('/meshsub/') && stream.direction === 'outbound')
            stream.abort(new Error('reset'))
      await until(() => !hasGossipStream(one, other.peerId))
    }
    for (let second = 0; second < 10; second++, nowMs += 1000) {
      await reset()
      streams.reopen(one.getConnections(other.peerId), () => void asked++)
      if (second % 5 === 0) await until(() => hasGossipStream(one, other.peerId))
      // That it was there for a moment does not count.
      streams.reopen(one.getConnections(other.peerId), () => void asked++)
    }
    expect(asked).toBe(2)
  })
})
