import type { Address } from '../../../core/bytes/bytes.ts'
import { includesAddress } from '../../../core/validators/votes.ts'
import type { Role } from '../../../p2p/network.ts'

/** Role of an address, `unknown` if the validators are not known. */
export const roleIn = (validators: readonly Address[] | undefined, address: Address): Role => {
  if (validators === undefined) return 'unknown'
  return includesAddress(validators, address) ? 'validator' : 'other'
}
