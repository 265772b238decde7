import type { Address } from '../../bytes/bytes.ts'
import type { WireMessage } from '../message.ts'

/** Where a decoded message came from: its author by signature, the peer that brought it, its bytes. */
export type From = { readonly author: Address; readonly peer: Address; readonly wire: WireMessage }
