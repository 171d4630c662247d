-- SPDX-License-Identifier: GPL-2.0
--
-- The phases of a sub-key of the nonce family, protocol.md, section 10: a sender that uses up its
-- sub-keys, and a receiver that finds them by two bits of each packet and derives them late.
--
-- The network is the set of all packets that were ever sent. Each may arrive at any time, as often
-- as the intruder likes, or never. The intruder makes packets, too, with any two bits, but with a
-- wrong tag. Assumed: of each phase at least one packet arrives before the next phase ends.
--
-- FAULT seeds an error that the model must find; `verify` lists them.

const
	LAST: 6;	-- phase: four of them have other bits
	EMISSIONS: 2;
	FAULT: 0;

type
	phase_t: 0 .. LAST;
	maybe_t: 0 .. LAST + 1;		-- 0: none; else one more than a phase
	bits_t: 0 .. 3;
	counter_t: 0 .. EMISSIONS - 1;

var
	-- sender
	sealing: phase_t;
	emitted: 0 .. EMISSIONS;
	sent: array [phase_t] of array [counter_t] of boolean;
	-- receiver: newest phase that has verified, newest that is derived, whether one is requested
	verified: phase_t;
	derived: phase_t;
	due: boolean;
	key: array [bits_t] of maybe_t;
	window: array [bits_t] of array [counter_t] of boolean;
	-- what was accepted, ever
	accepted: array [phase_t] of array [counter_t] of boolean;

startstate
begin
	sealing := 0;
	emitted := 0;
	verified := 0;
	derived := 0;
	due := false;
	for b: bits_t do
		key[b] := b = 0 ? 1 : 0;
		for c: counter_t do
			window[b][c] := false;
		end;
	end;
	for p: phase_t do for c: counter_t do
		sent[p][c] := false;
		accepted[p][c] := false;
	end; end;
end;

function has_arrived(p: phase_t): boolean;
begin
	return exists c: counter_t do accepted[p][c] endexists;
end;

rule "seal" emitted < EMISSIONS ==>
begin
	assert "a nonce is used once" !sent[sealing][emitted];
	sent[sealing][emitted] := true;
	emitted := emitted + 1;
end;

rule "begin the next phase" emitted = EMISSIONS & sealing < LAST & has_arrived(sealing) ==>
begin
	sealing := sealing + 1;
	emitted := 0;
end;

-- A packet names a phase that has no key
procedure miss(b: bits_t);
begin
	if verified < LAST & derived <= verified & b = (verified + 1) % 4 then
		due := true;
	end;
end;

ruleset p: phase_t; c: counter_t do
	rule "receive a packet" sent[p][c] ==>
	var k: maybe_t;
	begin
		k := key[p % 4];
		if k = 0 then
			miss(p % 4);
		elsif (k - 1 = p | FAULT = 5) & !window[p % 4][c] then
			assert "a packet is accepted once" !accepted[p][c];
			accepted[p][c] := true;
			window[p % 4][c] := true;
			if k - 1 > verified then
				verified := k - 1;
			end;
		end;
	end;
end;

ruleset b: bits_t do
	rule "receive what the intruder made" true ==>
	begin
		if key[b] = 0 then
			miss(b);
		elsif FAULT = 1 & key[b] - 1 > verified then
			verified := key[b] - 1;
		end;
	end;
end;

-- Half of the packets of a phase have been accepted
rule "ask ahead" derived = verified & verified < LAST & has_arrived(verified) ==>
begin
	due := true;
end;

procedure derive(p: phase_t);
begin
	if FAULT != 3 then
		key[(p + 2) % 4] := 0;
	end;
	key[p % 4] := p + 1;
	for c: counter_t do
		window[p % 4][c] := false;
	end;
	derived := p;
end;

rule "work" due ==>
begin
	if derived < LAST & (derived = verified | FAULT = 2) then
		derive(derived + 1);
	elsif FAULT = 4 then
		derive(derived);
	end;
	due := FAULT = 2 | FAULT = 4;
end;

invariant "keys are those of the last phases"
	forall b: bits_t do
		key[b] = 0 | (key[b] >= derived & key[b] - 1 <= verified + 1)
	endforall;

-- Whatever was lost or forged, the receiver can follow to the end
liveness "the last phase can be reached" has_arrived(LAST);

cover "a late packet of the phase before is accepted"
	verified = 3 & key[2] = 3 & window[2][0] & window[2][1];
