import { InvalidValue } from '../option.ts'

/** Addresses as lower-case hex without 0x. */
export const bareAddresses = (entries: readonly string[]): readonly string[] =>
  entries
    .filter(entry => entry !== '')
    .map(entry => {
      if (!/^0x[0-9a-f]{40}$/i.test(entry))
        throw new InvalidValue(`: '${entry}' is not an address of 20 bytes in hex`)
      return entry.toLowerCase().slice(2)
    })
