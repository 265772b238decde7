/** `quorate/auth`: logins, tokens and permissions in Besu's forms, for the handlers. */
export { type Algorithm, ALGORITHMS } from './keys/algorithms.ts'
export { type Audit, type AuditLog, createAudit, type Denial } from './audit.ts'
export {
  type Authentication,
  type ClientAddress,
  type Identity,
  NO_AUTHENTICATION,
} from './authentication.ts'
export { type Caller, EVERYONE, type Permission } from './caller.ts'
export { type ClientOf, createClientOf } from './client.ts'
export { type AuthenticationParts, createAuthentication } from './createAuthentication.ts'
export { type Credentials, CredentialsError, parseCredentials, type User } from './login/credentials.ts'
export { type IpNetwork, parseIpNetwork } from './ipAddress.ts'
export { createIssuer, type Issuer } from './login/issuer.ts'
export { createLogin, type LoginParts } from './login/login.ts'
export { createLoginLimits, type LoginLimits } from './login/loginLimits.ts'
export { type CheckPassword, passwordMatches, type PasswordJob } from './login/password.ts'
export { parsePublicKey, type PublicKey, PublicKeyError } from './keys/publicKey.ts'
export type { VerifySignature } from './keys/publicKey.ts'
export { createVerifySignature } from './tokens/verifyToken.ts'
