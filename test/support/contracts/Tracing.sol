// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

contract Child {
    uint256 public value;

    constructor(uint256 first) payable {
        require(first != 13, "no luck");
        value = first;
    }

    function set(uint256 next) external payable returns (uint256 before) {
        before = value;
        value = next;
    }

    function fail() external pure {
        revert("asked to fail");
    }

    function burn() external pure {
        assembly {
            invalid()
        }
    }

    function leave(address payable heir) external {
        selfdestruct(heir);
    }
}

/// Does one of each thing that traces tell of.
contract Tracing {
    event Noted(uint256 indexed what, bytes data);

    uint256 public count;
    mapping(uint256 => uint256) public kept;
    Child public child;

    constructor() payable {
        child = new Child(1);
    }

    function callAndLog(uint256 next) external payable returns (uint256 before) {
        emit Noted(1, "before");
        before = child.set{value: msg.value}(next);
        emit Noted(2, abi.encode(before));
        kept[next] = before;
        count += 1;
    }

    function precompiles(bytes calldata data) external view returns (bytes32 hash, address signer) {
        hash = sha256(data);
        signer = ecrecover(hash, 27, bytes32(uint256(1)), bytes32(uint256(2)));
    }

    function delegated(uint256 next) external returns (bool done) {
        (done, ) = address(child).delegatecall(abi.encodeCall(Child.set, (next)));
    }

    function caught() external returns (string memory reason) {
        try child.fail() {} catch Error(string memory text) {
            reason = text;
        }
        try child.burn{gas: 5000}() {} catch {}
        emit Noted(3, bytes(reason));
    }

    function uncaught() external {
        emit Noted(4, "");
        count = 99;
        child.fail();
    }

    function create(uint256 first, bytes32 salt) external returns (address made) {
        made = address(new Child{salt: salt}(first));
    }

    function tryCreate(uint256 first) external returns (bool made) {
        try new Child(first) {
            made = true;
        } catch {}
    }

    function looks(address other) external view returns (uint256 sum) {
        sum = other.balance + other.code.length + uint256(other.codehash);
    }

    function send(address payable to, uint256 amount) external returns (bool sent) {
        (sent, ) = to.call{value: amount}("");
    }

    function createAndLeave(address payable heir) external payable {
        Child one = new Child{value: msg.value}(7);
        one.leave(heir);
    }

    function write(uint256 from, uint256 to) external {
        for (uint256 i = from; i < to; i++) kept[i] = i + 1;
    }

    function panics(uint256 a) external pure returns (uint256) {
        return a - 1 - a;
    }
}
