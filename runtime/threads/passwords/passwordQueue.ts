import type { PasswordClient } from '../../../handlers/auth/login/password.ts'

/** Maximum queued passwords of each class: at Besu's bcrypt cost the last one waits two seconds. */
export const PASSWORDS_WAITING_MAX = 32

/** Maximum queued work of each class in hashes of Besu's cost, so that a few expensive hashes cannot block logins. */
const WORK_WAITING_MAX = 64

/** Maximum queued passwords of one network: fewer than the queue holds, so that other networks get a place at once. */
export const WAITING_OF_NETWORK_MAX = 24

/** Maximum queued passwords of one name and network: a user logs in once, or some programs of a user at the same time. */
export const WAITING_OF_NAME_MAX = 4

export type Waiting = {
  readonly client: PasswordClient
  /** In hashes of Besu's cost. */
  readonly work: number
}

/**
 * Passwords that wait for a check. Every second check is for a client that has logged in before, if one waits. Networks take
 * turns, and so do the names of one network, so that nobody waits behind all attempts of an attacker. Where there is no room, the
 * network with most attempts loses one.
 */
export type PasswordQueue<Entry extends Waiting> = {
  /** Returns the entries that lose their place, which may include the new one. */
  readonly add: (entry: Entry) => readonly Entry[]
  /** Removes the entry whose turn it is. */
  readonly next: () => Entry | undefined
  /** Removes all entries. */
  readonly clear: () => readonly Entry[]
}

/** The entries of one name, the oldest first; the names of one network, and the networks, in the order of their turns. */
type Turns<T> = Map<string, T>
type Networks<Entry> = Turns<Turns<Entry[]>>

const countOf = (names: Turns<readonly unknown[]>): number =>
  [...names.values()].reduce((sum, entries) => sum + entries.length, 0)

/** The key with the largest size; of equal ones the first. */
const largest = <T>(turns: Turns<T>, sizeOf: (value: T) => number): string | undefined => {
  let found: { readonly key: string; readonly size: number } | undefined
  for (const [key, value] of turns) {
    const size = sizeOf(value)
    if (found === undefined || size > found.size) found = { key, size }
  }
  return found?.key
}

/** Removes the oldest entry of that name; a name or network without entries has no turn. */
const remove = <Entry>(networks: Networks<Entry>, network: string, name: string): Entry | undefined => {
  const names = networks.get(network)
  const entries = names?.get(name)
  const entry = entries?.shift()
  if (entries?.length === 0) names?.delete(name)
  if (names?.size === 0) networks.delete(network)
  return entry
}

/** Moves a key that is still there behind the others. */
const endTurn = <T>(turns: Turns<T>, key: string): void => {
  const value = turns.get(key)
  if (value === undefined) return
  turns.delete(key)
  turns.set(key, value)
}

/** The queue of one class of clients. */
const createClassQueue = <Entry extends Waiting>(): PasswordQueue<Entry> => {
  const networks: Networks<Entry> = new Map()
  let count = 0
  let work = 0

  const isOverFull = (): boolean => count > PASSWORDS_WAITING_MAX || (count > 1 && work > WORK_WAITING_MAX)
  const take = (network: string, name: string): readonly Entry[] => {
    const entry = remove(networks, network, name)
    if (entry === undefined) return []
    count--
    work -= entry.work
    return [entry]
  }
  /** Removes the oldest attempt of the name with most attempts in that network. */
  const shrink = (network: string | undefined): readonly Entry[] => {
    if (network === undefined) return []
    const name = largest(networks.get(network) ?? new Map<string, Entry[]>(), entries => entries.length)
    return name === undefined ? [] : take(network, name)
  }

  return {
    add: entry => {
      const { network, username } = entry.client
      const names = networks.get(network) ?? new Map<string, Entry[]>()
      networks.set(network, names)
      const entries = names.get(username) ?? []
      names.set(username, entries)
      entries.push(entry)
      count++
      work += entry.work
      const lost: Entry[] = []
      if (entries.length > WAITING_OF_NAME_MAX) lost.push(...take(network, username))
      if (countOf(names) > WAITING_OF_NETWORK_MAX) lost.push(...shrink(network))
      while (isOverFull()) lost.push(...shrink(largest(networks, countOf)))
      return lost
    },
    next: () => {
      for (const [network, names] of networks)
        for (const name of names.keys()) {
          const [entry] = take(network, name)
          endTurn(names, name)
          endTurn(networks, network)
          return entry
        }
      return undefined
    },
    clear: () => {
      const all = [...networks.values()].flatMap(names => [...names.values()].flat())
      networks.clear()
      count = 0
      work = 0
      return all
    },
  }
}

export const createPasswordQueue = <Entry extends Waiting>(): PasswordQueue<Entry> => {
  const known = createClassQueue<Entry>()
  const others = createClassQueue<Entry>()
  let isTurnOfKnown = true
  return {
    add: entry => (entry.client.isKnown ? known : others).add(entry),
    next: () => {
      const [first, second] = isTurnOfKnown ? [known, others] : [others, known]
      isTurnOfKnown = !isTurnOfKnown
      return first.next() ?? second.next()
    },
    clear: () => [...known.clear(), ...others.clear()],
  }
}
