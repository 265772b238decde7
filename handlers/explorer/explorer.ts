import type { Pages } from '../http/app.ts'
import { type Asset, createAsset } from './asset.ts'
import { pageHeaders, pageHtml } from './page.ts'

export type ExplorerOptions = {
  /** Port of JSON-RPC over WebSocket, for new blocks; without it pages poll. */
  readonly webSocketPort: number | undefined
}

/** Paths of the pages: those of EIP-3091, and all others below /explorer. */
const PAGE_PATH = /^\/(?:explorer(?:\/.*)?|(?:block|tx|address|token)\/[^/]+)\/?$/

type Assets = { readonly script: Asset; readonly style: Asset }

/** The scripts are loaded on use: a node whose explorer nobody opens does not hold them. */
const loadAssets = async (): Promise<Assets> => {
  const { SCRIPT, STYLE } = await import('./bundle.ts')
  const [script, style] = await Promise.all([
    createAsset('/explorer/app', 'js', SCRIPT),
    createAsset('/explorer/app', 'css', STYLE),
  ])
  return { script, style }
}

const wantsHtml = (request: Request): boolean => /\btext\/html\b/i.test(request.headers.get('accept') ?? '')

const redirect = (): Response =>
  new Response(null, { status: 302, headers: { location: '/explorer', vary: 'accept' } })

/**
 * Serves the block explorer: one page for all paths, its script and its style sheet. The page asks the node over public
 * JSON-RPC. `GET /` leads a browser there; programs that do not ask for HTML get the description of the node.
 */
export const createExplorer = ({ webSocketPort }: ExplorerOptions): Pages => {
  let assets: Promise<Assets> | undefined
  let page: Promise<Asset> | undefined

  const answer = async (request: Request, path: string): Promise<Response> => {
    assets ??= loadAssets()
    const { script, style } = await assets
    for (const asset of [script, style])
      if (asset.path === path)
        return asset.answer(request, { 'cache-control': 'public, max-age=31536000, immutable' })
    page ??= createAsset(
      '/explorer',
      'html',
      pageHtml({ script: script.path, style: style.path, webSocketPort }),
    )
    return (await page).answer(request, pageHeaders(request.headers.get('host'), webSocketPort))
  }

  return request => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return undefined
    const path = URL.parse(request.url)?.pathname ?? ''
    if (path === '/') return wantsHtml(request) ? redirect() : undefined
    return PAGE_PATH.test(path) ? answer(request, path) : undefined
  }
}
