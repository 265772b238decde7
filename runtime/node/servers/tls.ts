import { createPrivateKey, X509Certificate } from 'node:crypto'
import process from 'node:process'
import { UsageError, invalidValue } from '../../cli/errors.ts'
import type { NodeOptions } from '../../cli/nodeOptions.ts'
import { readFailureReason, readUpTo } from '../../cli/readUpTo.ts'
import type { ServerTls } from '../../serving/serve.ts'
import { graphqlTls, httpTls, type TlsSettings, wsTls } from './tlsSettings.ts'

/** On use: loading it, with all authorities of the system, is a tenth of a start. */
const tlsModule = () => process.getBuiltinModule('node:tls')

/** Maximum file length: a chain of certificates has a few kilobytes. */
const FILE_BYTES_MAX = 1024 * 1024

const CONVERSION =
  'keytool -importkeystore -srckeystore STORE.jks -destkeystore STORE.p12 -deststoretype PKCS12'

const settingsOf = (options: NodeOptions): readonly TlsSettings[] =>
  [httpTls(options), wsTls(options), graphqlTls(options)].filter(({ enabled }) => enabled)

/** Whether a port has TLS. */
export const usesTls = (options: NodeOptions): boolean => settingsOf(options).length > 0

const requireCertificate = ({ flag, where, ...files }: TlsSettings): void => {
  const { certFile, keyFile, keystoreFile, passwordFile, password } = files
  const hasPem = certFile !== undefined && keyFile !== undefined
  const hasStore = keystoreFile !== undefined && (passwordFile ?? password) !== undefined
  if (keystoreFile !== undefined && (certFile ?? keyFile) !== undefined)
    throw invalidValue(
      `--${flag}-keystore-file and --${flag}-cert-file exclude each other: give one certificate`,
    )
  if (passwordFile !== undefined && password !== undefined)
    throw invalidValue(
      `--${flag}-keystore-password and --${flag}-keystore-password-file exclude each other: give one`,
    )
  if (!hasPem && !hasStore)
    throw invalidValue(
      `--${flag}-enabled needs a certificate for ${where}: give --${flag}-cert-file and --${flag}-key-file (PEM), or --${flag}-keystore-file and --${flag}-keystore-password-file (PKCS#12)`,
    )
}

/** @throws UsageError for options of TLS that need others */
export const requireTlsFiles = (options: NodeOptions): void => {
  for (const settings of settingsOf(options)) {
    const { flag, clientAuth, clientAuthFlag, authoritiesFile, usesSystemAuthorities, isJks } = settings
    if (isJks)
      throw invalidValue(`--${flag}-keystore-type=JKS is refused: convert the store with ${CONVERSION}`)
    requireCertificate(settings)
    if (clientAuth && authoritiesFile === undefined && !usesSystemAuthorities)
      throw invalidValue(
        `--${clientAuthFlag} needs --${flag}-trustcert-file, a PEM file of the authorities that issue the certificates of clients`,
      )
  }
}

/** @throws UsageError that names the option and the file */
const readFile = (flag: string, path: string): Uint8Array => {
  try {
    return readUpTo(path, FILE_BYTES_MAX)
  } catch (cause) {
    throw new UsageError('INVALID_FILE', `--${flag}: ${path} cannot be read: ${readFailureReason(cause)}`)
  }
}

const textOf = (flag: string, path: string): string => new TextDecoder().decode(readFile(flag, path))

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g

/** The certificates of a PEM file. @throws UsageError */
const certificatesIn = (flag: string, path: string): readonly X509Certificate[] => {
  const refuse = (): UsageError =>
    new UsageError('INVALID_FILE', `--${flag}: ${path} is not a PEM file of certificates`)
  const blocks = textOf(flag, path).match(CERTIFICATE)
  if (blocks === null) throw refuse()
  try {
    return blocks.map(block => new X509Certificate(block))
  } catch {
    throw refuse()
  }
}

const readPem = ({ flag, certFile, keyFile }: TlsSettings): Pick<ServerTls, 'cert' | 'key'> => {
  const cert = textOf(`${flag}-cert-file`, certFile as string)
  const [own] = certificatesIn(`${flag}-cert-file`, certFile as string)
  const key = textOf(`${flag}-key-file`, keyFile as string)
  let matches: boolean
  try {
    matches = own?.checkPrivateKey(createPrivateKey(key)) === true
  } catch {
    throw new UsageError(
      'INVALID_FILE',
      `--${flag}-key-file: ${keyFile} is not a PEM file of a private key without a password`,
    )
  }
  if (!matches)
    throw new UsageError(
      'INVALID_FILE',
      `--${flag}-key-file: ${keyFile} is not the key of the first certificate in ${certFile}`,
    )
  return { cert, key }
}

const readStore = (settings: TlsSettings): Pick<ServerTls, 'pfx' | 'passphrase'> => {
  const { flag, keystoreFile, passwordFile, password } = settings
  const pfx = readFile(`${flag}-keystore-file`, keystoreFile as string)
  const passphrase =
    password ?? textOf(`${flag}-keystore-password-file`, passwordFile as string).split(/\r?\n/)[0] ?? ''
  try {
    tlsModule().createSecureContext({ pfx: Buffer.from(pfx), passphrase })
  } catch {
    // The messages of the runtimes differ.
    throw new UsageError(
      'INVALID_FILE',
      `--${flag}-keystore-file: ${keystoreFile} is not a PKCS#12 file with that password; a JKS file is converted with ${CONVERSION}`,
    )
  }
  return { pfx, passphrase }
}

const readTls = (settings: TlsSettings): ServerTls => {
  const { flag, clientAuth, authoritiesFile, usesSystemAuthorities, certFile } = settings
  const own = certFile === undefined ? readStore(settings) : readPem(settings)
  if (!clientAuth) return { ...own, authorities: undefined }
  const given =
    authoritiesFile === undefined
      ? []
      : certificatesIn(`${flag}-trustcert-file`, authoritiesFile).map(certificate => certificate.toString())
  return { ...own, authorities: [...given, ...(usesSystemAuthorities ? tlsModule().rootCertificates : [])] }
}

/** The certificates and keys of each port; undefined for a port without TLS. */
export type ListenerTls = Readonly<Record<'http' | 'ws' | 'graphql', ServerTls | undefined>>

/** Reads and checks the files that the TLS options name. @throws UsageError */
export const readListenerTls = (options: NodeOptions): ListenerTls => {
  requireTlsFiles(options)
  const read = (settings: TlsSettings): ServerTls | undefined =>
    settings.enabled ? readTls(settings) : undefined
  return { http: read(httpTls(options)), ws: read(wsTls(options)), graphql: read(graphqlTls(options)) }
}

/** Warn this long before a certificate ends: monitoring looks at a log once a day. */
const WARN_BEFORE_MS = 14 * 24 * 3_600_000

/** A sentence for each certificate in a PEM file that has ended, or ends soon. */
export const expiringCertificates = (options: NodeOptions, nowMs: number): readonly string[] =>
  settingsOf(options).flatMap(({ flag, certFile }) => {
    if (certFile === undefined) return []
    const ends = certificatesIn(`${flag}-cert-file`, certFile).map(({ validTo }) => Date.parse(validTo))
    const endMs = Math.min(...ends)
    if (endMs - nowMs > WARN_BEFORE_MS) return []
    const when = new Date(endMs).toISOString()
    return [
      `A certificate in ${certFile} ${endMs < nowMs ? 'expired' : 'expires'} at ${when}: clients reject an expired certificate`,
    ]
  })
