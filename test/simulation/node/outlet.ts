import { type Address, equalBytes } from '../../../core/bytes/bytes.ts'
import type { Effect } from '../../../core/qbft/effect.ts'
import type { WireMessage } from '../../../core/qbft/message.ts'
import type { World } from '../world.ts'
import type { Node } from './node.ts'

export type Sent = Extract<Effect, { readonly kind: 'broadcast' | 'send' | 'relay' }>

/** Where messages leave a node and come in; an attacker puts itself in between. */
export type Outlet = {
  send(effect: Sent): void
  inform(effect: Extract<Effect, { readonly kind: 'inform' }>): void
  receive(message: WireMessage, from: Address): void
}

/** As the product delivers: a relayed message goes to those alone that its author is not connected with. */
export const createOutlet = ({ network, checker, scheduler, trace }: World, node: Node): Outlet => ({
  send: effect => {
    const { message } = effect
    if (effect.kind === 'relay') {
      for (const address of effect.to)
        if (!equalBytes(address, effect.from) && !network.areConnected(effect.author, address))
          network.send(node, address, message)
      return
    }
    if (node.isHonest) checker.sent(node, message)
    trace.note(scheduler.nowMs(), node.name, `> ${message.code.toString(16)}`)
    for (const address of effect.kind === 'send' ? [effect.to] : effect.to)
      network.send(node, address, message)
  },
  inform: ({ message, to }) => {
    for (const address of to) network.send(node, address, message)
  },
  receive: (message, peer) => node.put({ kind: 'message', message, peer }),
})
