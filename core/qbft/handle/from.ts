import type { Address } from '../../bytes/bytes.ts'
import type { WireMessage } from '../message.ts'

/** The origin of a decoded message: author by signature, delivering peer, encoding. */
export type From = { readonly author: Address; readonly peer: Address; readonly wire: WireMessage }
