import {
  booleanOption,
  choiceOption,
  customOption,
  integerOption,
  InvalidValue,
  listOption,
  type OptionTable,
  pathOption,
} from '../option.ts'

const GROUP = 'Keys'

const isLocal = ({ hostname }: URL): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d+){3}$/.test(hostname)

const SIGNERS_MAX = 8

const checkUrls = (entries: readonly string[]): readonly string[] => {
  if (entries.length > SIGNERS_MAX) throw new InvalidValue(`: more than ${SIGNERS_MAX} signers`)
  for (const entry of entries) {
    const url = URL.canParse(entry) ? new URL(entry) : undefined
    if (url === undefined || !['http:', 'https:'].includes(url.protocol))
      throw new InvalidValue(`: '${entry}' is not a URL of HTTPS`)
    if (url.protocol === 'http:' && !isLocal(url))
      throw new InvalidValue(
        `: '${entry}' is refused: over HTTP anybody on the way could answer; use https, or http on this machine`,
      )
    if (url.username !== '' || url.password !== '')
      throw new InvalidValue(`: a URL must hold no password; use --remote-signer-client-cert-file`)
  }
  return entries
}

const parsePublicKey = (text: string): string => {
  const digits = text.replace(/^0x/i, '').toLowerCase()
  if (!/^(?:04)?[0-9a-f]{128}$/.test(digits)) throw new InvalidValue(`: '${text}' is not 64 bytes of hex`)
  return `0x${digits.slice(-128)}`
}

/** Where the validator's key is. */
export const SIGNING_OPTIONS = {
  securityModule: choiceOption({
    name: 'security-module',
    group: GROUP,
    fallback: 'localfile',
    choices: ['localfile', 'keystore', 'remote'],
    description:
      "Where the validator's key is: in --node-private-key-file, encrypted in --keystore-file, or in a web3signer at --remote-signer-urls",
  }),
  keystoreFile: pathOption({
    name: 'keystore-file',
    group: GROUP,
    fallback: undefined,
    description: "The validator's key, encrypted (Web3 Secret Storage, JSON version 3)",
  }),
  keystorePasswordFile: pathOption({
    name: 'keystore-password-file',
    group: GROUP,
    fallback: undefined,
    shownDefault: 'read from the terminal',
    description: 'File whose first line is the password of --keystore-file',
  }),
  remoteSignerUrls: listOption({
    name: 'remote-signer-urls',
    group: GROUP,
    fallback: [] as readonly string[],
    shownDefault: 'none',
    placeholder: '<URL,...>',
    check: checkUrls,
    description: 'Signers with the API of web3signer eth1; the next one is asked when one fails',
  }),
  remoteSignerPublicKey: customOption<string | undefined>({
    name: 'remote-signer-public-key',
    group: GROUP,
    fallback: undefined,
    shownDefault: 'the only key of the signer',
    placeholder: '<HEX>',
    parse: parsePublicKey,
    description: "The validator's public key, 64 bytes; the signer's name for the key",
  }),
  remoteSignerTimeout: integerOption({
    name: 'remote-signer-timeout',
    group: GROUP,
    fallback: 1000,
    min: 50,
    max: 10_000,
    placeholder: '<MILLISECONDS>',
    description: 'Time limit for one signature of one signer; consensus waits for it',
  }),
  remoteSignerCaFile: pathOption({
    name: 'remote-signer-ca-file',
    group: GROUP,
    fallback: undefined,
    shownDefault: 'the authorities of the system',
    description: "PEM file of the authorities that issue the signer's certificate",
  }),
  remoteSignerClientCertFile: pathOption({
    name: 'remote-signer-client-cert-file',
    group: GROUP,
    fallback: undefined,
    description: 'PEM file of the certificate with which this node connects to the signer',
  }),
  remoteSignerClientKeyFile: pathOption({
    name: 'remote-signer-client-key-file',
    group: GROUP,
    fallback: undefined,
    description: 'PEM file of the key of --remote-signer-client-cert-file',
  }),
  unsafeKeyPermissions: booleanOption({
    name: 'unsafe-key-permissions',
    group: GROUP,
    fallback: false,
    description: 'Start also if other users of this machine may read a key or password file',
  }),
} satisfies OptionTable
