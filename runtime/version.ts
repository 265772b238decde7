import { arch, platform, versions } from 'node:process'
import { NAME, VERSION } from './product.ts'

/** The runtime of this process; Bun and Deno also have a Node version, so Node is tested last. */
export const RUNTIME: 'bun' | 'deno' | 'node' =
  versions['bun'] !== undefined ? 'bun' : versions['deno'] !== undefined ? 'deno' : 'node'

/** `quorate/v0.1.0/linux-x64/bun-1.4.5`, as web3_clientVersion answers it; `identity` after the name. */
export const clientVersion = (identity: string | undefined): string =>
  [
    NAME,
    ...(identity === undefined ? [] : [identity]),
    `v${VERSION}`,
    `${platform}-${arch}`,
    `${RUNTIME}-${versions[RUNTIME]}`,
  ].join('/')
