// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

contract Counter {
    uint256 public count;
    address public immutable owner;

    event Counted(address indexed by, uint256 count);

    error NotOwner(address caller);

    constructor(uint256 start) {
        count = start;
        owner = msg.sender;
    }

    function add(uint256 by) external {
        count += by;
        emit Counted(msg.sender, count);
    }

    function reset() external {
        if (msg.sender != owner) revert NotOwner(msg.sender);
        count = 0;
    }
}
