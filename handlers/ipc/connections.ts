/**
 * Connections of programs of one machine. Each program has one, or some; who opens more than this leaves connections behind.
 */
const CONNECTIONS_MAX = 64

/** Characters of unfinished messages of all connections: many times what programs send at once. */
const HELD_LENGTH_MAX = 32 * 1024 * 1024

export type Connection = {
  /** The program has sent something. @param heldLength characters of its unfinished message */
  heard(heldLength: number): void
  /** A connection whose request is being answered is not closed for others. */
  setAnswering(isAnswering: boolean): void
  ended(): void
}

export type Connections = {
  /** Undefined where there are too many, and the requests of all are being answered. */
  open(close: () => void): Connection | undefined
}

type Entry = { readonly close: () => void; heldLength: number; isAnswering: boolean }

/**
 * Limits the connections and their unfinished messages. Where there is no room, the connection that has been silent for longest is
 * closed, so that forgotten ones keep nobody out.
 */
export const createConnections = (
  messageLengthMax: number,
  connectionsMax = CONNECTIONS_MAX,
): Connections => {
  const heldLengthMax = Math.max(HELD_LENGTH_MAX, messageLengthMax)
  /** The one that was silent for longest first. */
  const entries = new Set<Entry>()
  let heldLength = 0

  const isFull = (): boolean => heldLength > heldLengthMax

  const remove = (entry: Entry): void => {
    if (!entries.delete(entry)) return
    heldLength -= entry.heldLength
  }
  /** False where no connection may be closed. */
  const closeSilent = (mayClose: (entry: Entry) => boolean): boolean => {
    const silent = [...entries].find(mayClose)
    if (silent === undefined) return false
    remove(silent)
    silent.close()
    return true
  }

  return {
    open: close => {
      if (entries.size >= connectionsMax && !closeSilent(({ isAnswering }) => !isAnswering)) return undefined
      const entry: Entry = { close, heldLength: 0, isAnswering: false }
      entries.add(entry)
      return {
        heard: length => {
          if (!entries.delete(entry)) return
          entries.add(entry)
          heldLength += length - entry.heldLength
          entry.heldLength = length
          while (isFull()) if (!closeSilent(one => one.heldLength > 0)) break
        },
        setAnswering: isAnswering => {
          entry.isAnswering = isAnswering
        },
        ended: () => remove(entry),
      }
    },
  }
}
