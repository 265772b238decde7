/** Options of a network of a test: on loopback, at a free port, with nobody to dial. */
export const LOOPBACK = {
  host: '127.0.0.1',
  port: 0,
  advertisedHost: '127.0.0.1',
  bootnodes: [],
  staticNodes: [],
  learnedNodes: [],
  maxPeers: 25,
}
