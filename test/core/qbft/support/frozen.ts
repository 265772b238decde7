const refuse = (): never => {
  throw new TypeError('this was made by an earlier transition and must not be changed')
}

const seen = new WeakSet<object>()

/**
 * Makes in-place changes throw, at any depth: objects, arrays, maps and sets. Bytes cannot be frozen; the test of purity
 * compares them.
 */
export const frozen = <Value>(value: Value): Value => {
  if (typeof value !== 'object' || value === null || seen.has(value)) return value
  seen.add(value)
  if (ArrayBuffer.isView(value)) return value
  if (value instanceof Map || value instanceof Set) {
    for (const name of ['set', 'add', 'delete', 'clear'])
      Object.defineProperty(value, name, { value: refuse })
    for (const entry of value instanceof Map ? [...value].flat() : value) frozen(entry)
  } else for (const member of Object.values(value)) frozen(member)
  return Object.freeze(value)
}
