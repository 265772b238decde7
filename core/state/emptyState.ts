import { ZERO_HASH } from '../bytes/bytes.ts'
import { toBareHex } from '../bytes/hex.ts'
import type { StateReader } from './account.ts'

/** A state without accounts. Its `code` throws RangeError, because no account refers to code. */
export const EMPTY_STATE: StateReader = {
  account: () => undefined,
  storage: () => ZERO_HASH,
  code: codeHash => {
    throw new RangeError(`no code with the hash ${toBareHex(codeHash)}`)
  },
}
