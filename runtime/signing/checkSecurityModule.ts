import { invalidValue } from '../cli/errors.ts'
import type { NodeOptions } from '../cli/nodeOptions.ts'

const requireRemote = ({ remoteSignerUrls, ...options }: NodeOptions): void => {
  const { remoteSignerClientCertFile, remoteSignerClientKeyFile } = options
  if (remoteSignerUrls.length === 0) throw invalidValue('--security-module=remote needs --remote-signer-urls')
  if ((remoteSignerClientCertFile === undefined) !== (remoteSignerClientKeyFile === undefined))
    throw invalidValue('--remote-signer-client-cert-file and --remote-signer-client-key-file need each other')
}

/** @throws UsageError for options of the security module that contradict each other */
export const requireSecurityModule = (options: NodeOptions): void => {
  const { securityModule, genesisFile, nodePrivateKeyFile, p2pProtocol, keystoreFile } = options
  if (securityModule === 'localfile') return
  const flag = `--security-module=${securityModule}`
  if (genesisFile === undefined)
    throw invalidValue(`${flag} needs --genesis-file: a development chain creates the key of its validator`)
  if (nodePrivateKeyFile !== undefined)
    throw invalidValue(`${flag} and --node-private-key-file exclude each other: the validator has one key`)
  if (p2pProtocol !== 'libp2p')
    throw invalidValue(
      `${flag} is refused with --p2p-protocol=${p2pProtocol}: over devp2p a validator is known by the key of its connections, which then must be the validator's key itself. Use --security-module=localfile, or --p2p-protocol=libp2p`,
    )
  if (securityModule === 'keystore' && keystoreFile === undefined)
    throw invalidValue('--security-module=keystore needs --keystore-file')
  if (securityModule === 'remote') requireRemote(options)
}
