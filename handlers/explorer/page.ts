export type PageParts = {
  /** Path of the script. */
  readonly script: string
  /** Path of the style sheet. */
  readonly style: string
  readonly webSocketPort: number | undefined
}

/** The page of all paths: its script reads the path and draws what it shows. */
export const pageHtml = ({ script, style, webSocketPort }: PageParts): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<meta name="websocket-port" content="${webSocketPort ?? ''}">
<title>Quorate explorer</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${style}">
<script type="module" src="${script}"></script>
</head>
<body><div id="app"><noscript>The explorer needs JavaScript. JSON-RPC is answered at this address, too.</noscript></div></body>
</html>
`

/** A host name or an address without its port; nothing else is copied into the policy. */
const HOST = /^([\w.-]+|\[[0-9a-f:.]+\])(?::\d+)?$/i

/** Where the page may connect: to the node that served it, with WebSocket on another port. */
const connectSources = (host: string | null, webSocketPort: number | undefined): string => {
  const name = HOST.exec(host ?? '')?.[1]
  if (webSocketPort === undefined || name === undefined) return "'self'"
  return `'self' ws://${name}:${webSocketPort} wss://${name}:${webSocketPort}`
}

/** The page runs its own script alone, which never parses HTML (trusted types), and loads nothing from other hosts. */
const contentSecurityPolicy = (host: string | null, webSocketPort: number | undefined): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    'img-src data:',
    `connect-src ${connectSources(host, webSocketPort)}`,
    "form-action 'none'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ')

/** @param host Host header of the request */
export const pageHeaders = (
  host: string | null,
  webSocketPort: number | undefined,
): Readonly<Record<string, string>> => ({
  'cache-control': 'no-cache',
  'content-security-policy': contentSecurityPolicy(host, webSocketPort),
  'cross-origin-opener-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
})
