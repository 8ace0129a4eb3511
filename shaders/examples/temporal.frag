// An exponential mean over the frames.
#include "../common/sets.glsl"
#pragma param trail "share of the frame before" 0.8 0 0.98

PASS uniform sampler2D scene;
PASS uniform sampler2D before;
PASS uniform Params { float trail; } params;

in vec2 uv;
out vec4 out_smooth;

void main() {
    vec4 old = texture(before, uv);
    // Alpha is 0 in the very first frame, which has nothing to be mixed with.
    out_smooth = vec4(mix(texture(scene, uv).rgb, old.rgb, params.trail * old.a), 1.0);
}
